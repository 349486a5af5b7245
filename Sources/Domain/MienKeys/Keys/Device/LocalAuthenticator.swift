public import MienCore

/// Verifies the owner on the device itself: by face, finger, or passcode.
public protocol LocalAuthenticator: Sendable {
    /// Returns the available methods without prompting the person.
    func capability() async throws -> BiometricCapability

    /// Prompts the person.
    ///
    /// - Throws: ``DeviceError``; `CancellationError` if the task is canceled, regardless of what
    ///   was shown by then.
    func authenticate(_ prompt: UnlockPrompt) async throws -> LocalVerdict

    /// Returns a value that changes with every change of enrollment and never returns to an earlier
    /// one.
    func enrollmentGeneration() async throws -> EnrollmentGeneration
}

extension LocalAuthenticator {
    /// Prompts the person.
    public func authenticate(reason: String, policy: BiometricPolicy) async throws -> LocalVerdict {
        try await authenticate(UnlockPrompt(reason: reason, policy: policy))
    }
}

public struct BiometricCapability: Sendable, Hashable {
    /// Whether there is a sensor that the app may use.
    public let isSupported: Bool
    public let isEnrolled: Bool
    public let isPasscodeSet: Bool
    /// Whether the passcode is required before biometrics are accepted again.
    public let isLockedOut: Bool
    /// Why no sensor can be used, if the device says so: there is none, or no permission.
    public let unsupportedReason: String?

    public init(
        isSupported: Bool, isEnrolled: Bool, isPasscodeSet: Bool, isLockedOut: Bool,
        unsupportedReason: String? = nil
    ) {
        self.unsupportedReason = unsupportedReason
        (self.isSupported, self.isEnrolled, self.isPasscodeSet, self.isLockedOut) = (
            isSupported, isEnrolled, isPasscodeSet, isLockedOut
        )
    }

    /// The obstacle to `policy` that the person should remove first; `nil` if there is none.
    public func obstacle(to policy: BiometricPolicy) -> DeviceError? {
        guard isSupported || policy == .deviceOwnerAuthentication else {
            return DeviceError(
                .biometricNotSupportedOrPermissionDenied,
                unsupportedReason
                    ?? "no biometric sensor is available, or the app lacks permission to use it")
        }
        guard isPasscodeSet else {
            return DeviceError(.biometricNoPasscode, "set a passcode first")
        }
        if policy == .deviceOwnerAuthentication { return nil }
        guard isEnrolled else {
            return DeviceError(.biometricNoEnrollment, "enroll a face or finger first")
        }
        return isLockedOut
            ? DeviceError(
                .biometricLockout, "too many failed attempts; enter the passcode first") : nil
    }
}

/// The result of a successful check.
public struct LocalVerdict: Sendable, Hashable {
    public enum Method: String, Sendable, CaseIterable { case face, finger, passcode }

    public let method: Method
    /// The state of enrollment at the time of the check.
    public let generation: EnrollmentGeneration
    public let at: Instant

    public init(method: Method, generation: EnrollmentGeneration, at: Instant) {
        (self.method, self.generation, self.at) = (method, generation, at)
    }
}

/// An opaque identifier of a state of enrollment.
public struct EnrollmentGeneration: Sendable, Hashable, Codable {
    /// 1…64 bytes.
    public let bytes: [UInt8]

    /// - Precondition: 1…64 `bytes`.
    public init(bytes: [UInt8]) {
        precondition((1...64).contains(bytes.count), "a generation must have 1 to 64 bytes")
        self.bytes = bytes
    }
}
