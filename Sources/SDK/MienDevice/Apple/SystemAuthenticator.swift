#if canImport(LocalAuthentication)
internal import Foundation
internal import LocalAuthentication
public import MienCore
public import MienKeys

/// Checks the owner with the system's Face ID, Touch ID, and passcode.
public struct SystemAuthenticator: LocalAuthenticator {
    private let now: @Sendable () -> Instant

    public init(now: @escaping @Sendable () -> Instant) { self.now = now }

    /// Uses the device's clock.
    public init() {
        self.init { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
    }

    public func capability() async throws -> BiometricCapability {
        let biometrics = Self.obstacle(to: .deviceOwnerAuthenticationWithBiometrics),
            owner = Self.obstacle(to: .deviceOwnerAuthentication)
        return BiometricCapability(
            isSupported: biometrics?.code != .biometricNotSupportedOrPermissionDenied,
            isEnrolled: biometrics == nil || biometrics?.code == .biometricLockout,
            isPasscodeSet: owner?.code != .biometricNoPasscode,
            isLockedOut: biometrics?.code == .biometricLockout)
    }

    public func authenticate(_ prompt: UnlockPrompt) async throws -> LocalVerdict {
        let unlocked = try await UnlockedContext(prompt)
        return LocalVerdict(
            method: unlocked.method, generation: try await enrollmentGeneration(), at: now())
    }

    /// The system's identifier of the current enrollment. Having nothing enrolled is a state of its
    /// own.
    public func enrollmentGeneration() async throws -> EnrollmentGeneration {
        EnrollmentGeneration(bytes: Self.enrollment ?? [0])
    }

    /// The system's identifier of the current enrollment; `nil` if nothing is enrolled, or if the
    /// system does not say.
    static var enrollment: [UInt8]? {
        let context = LAContext()
        _ = unsafe context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil)
        let state = context.evaluatedPolicyDomainState.map { Array($0.prefix(64)) } ?? []
        return state.isEmpty ? nil : state
    }

    private static func obstacle(to policy: LAPolicy) -> DeviceError? {
        let context = LAContext()
        var error: NSError?
        if unsafe context.canEvaluatePolicy(policy, error: &error) { return nil }
        return DeviceError(local: error)
    }
}

/// A passed check that can be presented to the keychain once.
struct UnlockedContext: @unchecked Sendable {
    // Unchecked: after `init`, only one function uses it, to pass it to the keychain. `invalidate`
    // may be called from any thread.
    let context: LAContext
    let method: LocalVerdict.Method

    /// Asks the user. Canceling the task dismisses the prompt.
    init(_ prompt: UnlockPrompt) async throws {
        let holder = Holder(LAContext()), policy = prompt.policy
        // An empty title hides the button that leads to the passcode.
        holder.context.localizedFallbackTitle =
            policy == .deviceOwnerAuthenticationWithBiometrics ? "" : prompt.texts.fallbackTitle
        holder.context.localizedCancelTitle = prompt.texts.cancelTitle
        do {
            let isOwner = try await withTaskCancellationHandler {
                try await holder.context.evaluatePolicy(
                    policy.system, localizedReason: prompt.reason)
            } onCancel: {
                holder.context.invalidate()
            }
            try Task.checkCancellation()
            guard isOwner else {
                throw DeviceError(.notRecognized, "The user was not recognized as the owner.")
            }
        } catch let error as LAError {
            try Task.checkCancellation()
            throw DeviceError(local: error as NSError)
        }
        context = holder.context
        // If the passcode is allowed, the system does not report which was used, so the weaker is
        // assumed.
        if policy == .deviceOwnerAuthentication {
            method = .passcode
        } else {
            method = context.biometryType == .touchID ? .finger : .face
        }
    }

    private final class Holder: @unchecked Sendable {
        // Unchecked: one task evaluates it, and `invalidate` may be called from any thread.
        let context: LAContext
        init(_ context: LAContext) { self.context = context }
    }
}

extension BiometricPolicy {
    fileprivate var system: LAPolicy {
        switch self {
        case .deviceOwnerAuthenticationWithBiometrics: .deviceOwnerAuthenticationWithBiometrics
        case .deviceOwnerAuthentication: .deviceOwnerAuthentication
        }
    }
}

extension DeviceError {
    /// Converts an error of LocalAuthentication.
    init(local error: NSError?) {
        let code = error.flatMap {
            $0.domain == LAErrorDomain ? LAError.Code(rawValue: $0.code) : nil
        }
        guard let code else {
            self.init(
                .biometricNotSupportedOrPermissionDenied,
                "The system refused\(error.map { " with error \($0.code) of \($0.domain)" } ?? "")."
            )
            return
        }
        switch code {
        case .userCancel, .appCancel, .systemCancel, .userFallback:
            self.init(.cancel, "The user, the app, or the system canceled.")
        case .passcodeNotSet: self.init(.biometricNoPasscode, "Set a passcode first.")
        case .biometryNotEnrolled:
            self.init(.biometricNoEnrollment, "Enroll a face or a finger first.")
        case .biometryLockout:
            self.init(
                .biometricLockout, "Too many wrong faces or fingers. Enter the passcode first.")
        case .authenticationFailed:
            self.init(.notRecognized, "The user was not recognized as the owner.")
        default:
            self.init(
                .biometricNotSupportedOrPermissionDenied,
                "The system refused with error \(code.rawValue).")
        }
    }
}
#endif
