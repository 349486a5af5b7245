#if canImport(LocalAuthentication)
internal import Foundation
public import MienKeys
internal import LocalAuthentication
public import MienCore

/// Face ID, Touch ID and the passcode, as the system checks them.
public struct SystemAuthenticator: LocalAuthenticator {
    private let now: @Sendable () -> Instant

    public init(now: @escaping @Sendable () -> Instant) { self.now = now }

    public func capability() async throws -> BiometricCapability {
        let biometrics = Self.obstacle(to: .deviceOwnerAuthenticationWithBiometrics),
            owner = Self.obstacle(to: .deviceOwnerAuthentication)
        return BiometricCapability(
            isSupported: biometrics?.code != .biometricNotSupportedOrPermissionDenied,
            isEnrolled: biometrics == nil || biometrics?.code == .biometricLockout,
            isPasscodeSet: owner?.code != .biometricNoPasscode,
            isLockedOut: biometrics?.code == .biometricLockout)
    }

    public func authenticate(reason: String, policy: BiometricPolicy) async throws -> LocalVerdict {
        let unlocked = try await UnlockedContext(reason: reason, policy: policy)
        return LocalVerdict(
            method: unlocked.method, generation: try await enrolmentGeneration(), at: now())
    }

    /// The system's own mark of what is enrolled. Nothing enrolled is a state like any other.
    public func enrolmentGeneration() async throws -> EnrolmentGeneration {
        let context = LAContext()
        _ = unsafe context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil)
        let state = context.evaluatedPolicyDomainState.map { Array($0.prefix(64)) } ?? []
        return EnrolmentGeneration(bytes: state.isEmpty ? [0] : state)
    }

    private static func obstacle(to policy: LAPolicy) -> DeviceError? {
        let context = LAContext()
        var error: NSError?
        if unsafe context.canEvaluatePolicy(policy, error: &error) { return nil }
        return DeviceError(local: error)
    }
}

/// A check that was passed, and can be shown to the keychain once.
struct UnlockedContext: @unchecked Sendable {
    // Unchecked: after `init` it is only handed to the keychain, by one function; `invalidate` may
    // be called from any thread.
    let context: LAContext
    let method: LocalVerdict.Method

    /// Asks the person. A cancelled task takes the question off the screen.
    init(reason: String, policy: BiometricPolicy) async throws {
        let holder = Holder(LAContext())
        if policy == .deviceOwnerAuthenticationWithBiometrics {
            holder.context.localizedFallbackTitle = ""
        }
        do {
            let isOwner = try await withTaskCancellationHandler {
                try await holder.context.evaluatePolicy(policy.system, localizedReason: reason)
            } onCancel: {
                holder.context.invalidate()
            }
            try Task.checkCancellation()
            guard isOwner else { throw DeviceError(.notRecognised, "not the owner") }
        } catch let error as LAError {
            try Task.checkCancellation()
            throw DeviceError(local: error)
        }
        context = holder.context
        // With the passcode allowed, the system does not tell which was shown: the weaker is
        // assumed.
        if policy == .deviceOwnerAuthentication {
            method = .passcode
        } else {
            method = context.biometryType == .touchID ? .finger : .face
        }
    }

    private final class Holder: @unchecked Sendable {
        // Unchecked: evaluated by one task; `invalidate` may be called from any thread.
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
    /// LocalAuthentication's error in our words.
    init(local error: (any Error)?) {
        guard let error = error as? LAError else {
            self.init(
                .biometricNotSupportedOrPermissionDenied, "the system refuses, and does not say why"
            )
            return
        }
        switch error.code {
        case .userCancel, .appCancel, .systemCancel, .userFallback:
            self.init(.cancel, "the person, the app or the system turned away")
        case .passcodeNotSet: self.init(.biometricNoPasscode, "set a passcode first")
        case .biometryNotEnrolled:
            self.init(.biometricNoEnrollment, "enroll a face or finger first")
        case .biometryLockout:
            self.init(.biometricLockout, "too many failed attempts; enter the passcode first")
        case .authenticationFailed: self.init(.notRecognised, "not the owner")
        default:
            self.init(
                .biometricNotSupportedOrPermissionDenied,
                "the system refuses, with error \(error.code.rawValue)")
        }
    }
}
#endif
