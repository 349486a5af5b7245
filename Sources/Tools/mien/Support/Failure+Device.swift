package import MienDevice
package import MienKeys
package import MienTools

extension FaceAuthError: FailureConvertible {
    package var failure: Failure {
        // The reason of the package names its function; people have a command.
        let words =
            code == .lockedOut
            ? "the face was wrong or not live five times in a row, so it is locked. Activate it again with the PIN, for each token that it unlocks: mien token face on --name NAME"
            : reason
        return Failure(.notSetUp, code.rawValue, words)
    }
}

extension DeviceError: FailureConvertible {
    package var failure: Failure {
        let outcome: Outcome =
            [.wrongPasscode, .weakPasscode, .biometricNoPasscode].contains(code)
            ? .badInput : .notSetUp
        let words = reason.replacing("passcode", with: "PIN").replacing(
            "until the authenticator is reset", with: "until mien face pin --reset removes it")
        return Failure(outcome, code.rawValue, words)
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
