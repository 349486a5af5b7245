package import MienCommandSupport
package import MienDeviceLinux
package import MienKeys
package import MienOTP

extension FaceAuthError: FailureConvertible {
    package var failure: Failure { Failure(.notSetUp, code.rawValue, reason) }
}

extension DeviceError: FailureConvertible {
    package var failure: Failure {
        let outcome: Outcome =
            [.wrongPasscode, .weakPasscode, .biometricNoPasscode].contains(code)
            ? .badInput : .notSetUp
        return Failure(outcome, code.rawValue, reason.replacing("passcode", with: "PIN"))
    }
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
        case .unknown, .exists, .full, .pin, .notCAP, .notMultiAuth, .faceInactive, .inputSpent:
            true
        case .secret, .restored, .exhausted, .notConfirmed, .otherDevice, .bindingUnavailable,
            .storage, .tampered:
            false
        }
    }
}
