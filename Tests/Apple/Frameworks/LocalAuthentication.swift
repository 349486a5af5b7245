// The parts of Apple's LocalAuthentication that the SDK uses, with the behavior of a phone whose owner
// is `FakePhone`. Source: developer.apple.com/documentation/localauthentication, the pages lacontext,
// lacontext/canevaluatepolicy(_:error:), lacontext/evaluatepolicy(_:localizedreason:reply:),
// lacontext/evaluatedpolicydomainstate, lapolicy, labiometrytype, laerror-swift.struct/code, and
// laerrordomain.
@_exported import FakePhone
import Foundation

// A constant of the framework.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let LAErrorDomain = "com.apple.LocalAuthentication"

public enum LAPolicy: Int {
    case deviceOwnerAuthenticationWithBiometrics = 1
    case deviceOwnerAuthentication = 2
}

public enum LABiometryType: Int {
    case none = 0, touchID = 1, faceID = 2, opticID = 4
}

public struct LAError: CustomNSError {
    public enum Code: Int {
        case authenticationFailed = -1, userCancel = -2, userFallback = -3, systemCancel = -4,
            passcodeNotSet = -5, biometryNotAvailable = -6
        case biometryNotEnrolled = -7, biometryLockout = -8, appCancel = -9, invalidContext = -10,
            notInteractive = -1004
    }

    public let code: Code
    public init(_ code: Code) { self.code = code }
    public static var errorDomain: String { LAErrorDomain }
    public var errorCode: Int { code.rawValue }
}

open class LAContext: NSObject {
    /// The enrollment that unlocked the context, or 0 for the passcode: for the keychain of the fakes.
    public private(set) var fakeUnlock: Int?
    private var domainState: Data?
    private var isInvalid = false
    private let lock = NSLock()

    public override init() {}
    open var localizedFallbackTitle: String?
    open var localizedCancelTitle: String?
    open var biometryType: LABiometryType {
        LABiometryType(rawValue: FakePhone.shared.with { $0.biometry }) ?? .none
    }
    /// Set by an evaluation that needs biometrics, and `nil` without an enrollment.
    open var evaluatedPolicyDomainState: Data? { domainState }

    // One line each: a test removes declarations by line.
    // swift-format-ignore
    open func canEvaluatePolicy(_ policy: LAPolicy, error: UnsafeMutablePointer<NSError?>?) -> Bool { evaluable(policy, error) }
    // swift-format-ignore
    open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool { try await evaluated(policy, localizedReason) }
    open func invalidate() { lock.withLock { isInvalid = true } }

    private func evaluable(_ policy: LAPolicy, _ error: UnsafeMutablePointer<NSError?>?) -> Bool {
        let fault = FakePhone.shared.with { phone -> LAError.Code? in
            let biometrics: LAError.Code? =
                phone.biometry == 0 || phone.isDenied
                ? .biometryNotAvailable
                : !phone.isPasscodeSet
                    ? .passcodeNotSet
                    : phone.enrollment == 0
                        ? .biometryNotEnrolled : phone.isLockedOut ? .biometryLockout : nil
            if phone.enrollment > 0, !phone.isDenied {
                domainState = Data("enrollment \(phone.enrollment)".utf8)
            }
            return policy == .deviceOwnerAuthentication
                ? (phone.isPasscodeSet ? nil : .passcodeNotSet) : biometrics
        }
        guard let fault else { return true }
        error?.pointee = NSError(domain: LAErrorDomain, code: fault.rawValue)
        return false
    }

    private func evaluated(_ policy: LAPolicy, _ reason: String) async throws -> Bool {
        precondition(!reason.isEmpty, "an empty reason is an exception on a phone")
        var obstacle: NSError?
        guard unsafe evaluable(policy, &obstacle) else {
            throw LAError(LAError.Code(rawValue: obstacle?.code ?? -1) ?? .authenticationFailed)
        }
        FakePhone.shared.with { phone in
            phone.prompts.append(
                (policy.rawValue, reason, localizedFallbackTitle, localizedCancelTitle))
        }
        let answer = FakePhone.shared.nextAnswer()
        // A person takes a moment, in which the app may dismiss the prompt.
        let time = FakePhone.shared.with { $0.answerTime }, end = ContinuousClock.now + time
        while ContinuousClock.now < end, !lock.withLock({ isInvalid }) {
            try? await Task.sleep(for: .milliseconds(2))
        }
        if lock.withLock({ isInvalid }) { throw LAError(.appCancel) }
        switch answer {
        case .recognized:
            let isBiometric = FakePhone.shared.with { $0.enrollment > 0 && !$0.isLockedOut }
            fakeUnlock = isBiometric ? FakePhone.shared.with { $0.enrollment } : 0
        case .passcode:
            guard policy == .deviceOwnerAuthentication else { throw LAError(.userFallback) }
            fakeUnlock = 0
            FakePhone.shared.with { $0.isLockedOut = false }
        case .error(let code):
            throw LAError(LAError.Code(rawValue: code) ?? .authenticationFailed)
        }
        return true
    }
}
