// The parts of Apple's LocalAuthentication that MienDevice uses, declared for type checking where
// the framework is not available. This code never runs. Source: Apple's documentation of LAContext,
// LAError, LAPolicy, LABiometryType (iOS 17, macOS 14).
import Foundation

public enum LAPolicy: Int {
    case deviceOwnerAuthenticationWithBiometrics = 1
    case deviceOwnerAuthentication = 2
}

public enum LABiometryType: Int {
    case none = 0, touchID = 1, faceID = 2, opticID = 4
}

public struct LAError: Error {
    public enum Code: Int {
        case authenticationFailed = -1, userCancel = -2, userFallback = -3, systemCancel = -4,
            passcodeNotSet = -5, biometryNotAvailable = -6
        case biometryNotEnrolled = -7, biometryLockout = -8, appCancel = -9, invalidContext = -10,
            notInteractive = -1004
    }

    public var code: Code { fatalError() }
}

open class LAContext: NSObject {
    public override init() {}
    open var localizedFallbackTitle: String?
    open var localizedCancelTitle: String?
    open var biometryType: LABiometryType { fatalError() }
    open var evaluatedPolicyDomainState: Data? { fatalError() }
    // One line each: a test removes declarations by line.
    // swift-format-ignore
    open func canEvaluatePolicy(_ policy: LAPolicy, error: UnsafeMutablePointer<NSError?>?) -> Bool { fatalError() }
    // swift-format-ignore
    open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool { fatalError() }
    open func invalidate() { fatalError() }
}
