public import MienCore

/// Checks on the device itself that its owner is there: a face, a finger, a passcode.
public protocol LocalAuthenticator: Sendable {
    /// How things stand. Asks nobody anything.
    func capability() async throws -> BiometricCapability

    /// Asks the person.
    ///
    /// - Throws: ``DeviceError``; `CancellationError` when the task is cancelled, whatever was
    ///   shown by then.
    func authenticate(reason: String, policy: BiometricPolicy) async throws -> LocalVerdict

    /// Another one after each change of what is enrolled, never one that was there before.
    func enrolmentGeneration() async throws -> EnrolmentGeneration
}

public struct BiometricCapability: Sendable, Hashable {
    public let isSupported: Bool
    public let isEnrolled: Bool
    public let isPasscodeSet: Bool
    /// The passcode has to be given before biometrics are judged again.
    public let isLockedOut: Bool

    public init(isSupported: Bool, isEnrolled: Bool, isPasscodeSet: Bool, isLockedOut: Bool) {
        (self.isSupported, self.isEnrolled, self.isPasscodeSet, self.isLockedOut) = (
            isSupported, isEnrolled, isPasscodeSet, isLockedOut
        )
    }

    /// What stands in the way of `policy`, in the order a person would mend it; `nil` when nothing
    /// does.
    public func obstacle(to policy: BiometricPolicy) -> DeviceError? {
        guard isSupported || policy == .deviceOwnerAuthentication else {
            return DeviceError(
                .biometricNotSupportedOrPermissionDenied,
                "this device checks no face or finger, or the app may not ask it to")
        }
        guard isPasscodeSet else {
            return DeviceError(.biometricNoPasscode, "set a passcode first")
        }
        if policy == .deviceOwnerAuthentication { return nil }
        guard isEnrolled else {
            return DeviceError(.biometricNoEnrollment, "enrol a face or a finger first")
        }
        return isLockedOut
            ? DeviceError(
                .biometricLockout, "too many wrong faces or fingers; give the passcode first") : nil
    }
}

/// A check that was passed.
public struct LocalVerdict: Sendable, Hashable {
    public enum Method: String, Sendable, CaseIterable { case face, finger, passcode }

    public let method: Method
    /// What was enrolled when it was passed.
    public let generation: EnrolmentGeneration
    public let at: Instant

    public init(method: Method, generation: EnrolmentGeneration, at: Instant) {
        (self.method, self.generation, self.at) = (method, generation, at)
    }
}

/// Names a state of enrolment. Tells nothing about it.
public struct EnrolmentGeneration: Sendable, Hashable, Codable {
    /// 1…64 bytes.
    public let bytes: [UInt8]

    /// - Precondition: 1…64 `bytes`.
    public init(bytes: [UInt8]) {
        precondition((1...64).contains(bytes.count), "a generation has 1 to 64 bytes")
        self.bytes = bytes
    }
}
