package import MienCommandSupport
package import MienDeviceLinux
package import MienOTP

extension FaceAuthError: FailureConvertible {
    package var failure: Failure { Failure(.notSetUp, code.rawValue, reason) }
}

extension OTPError: FailureConvertible {
    package var failure: Failure { Failure(.badInput, code.rawValue, reason) }
}

extension OTPTokenError: FailureConvertible {
    package var failure: Failure {
        Failure(isSlip ? .badInput : .notSetUp, code.rawValue, reason)
    }

    /// Whether the error is about the arguments, not about the token or the machine.
    private var isSlip: Bool {
        switch code {
        case .unknown, .exists, .full, .pin, .notMultiAuth, .faceInactive, .inputSpent: true
        case .secret, .restored, .exhausted, .notConfirmed, .otherDevice, .bindingUnavailable,
            .storage:
            false
        }
    }
}
