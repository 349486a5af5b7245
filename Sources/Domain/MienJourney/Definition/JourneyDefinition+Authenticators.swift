public import MienCore

extension JourneyDefinition {
    /// The authenticators that steps of this journey ask for.
    public var authenticatorsAsked: Set<AuthenticatorType> {
        Set(steps.values.compactMap(\.type.authenticator))
    }
}

extension StepType {
    /// The authenticator that the step checks.
    var authenticator: AuthenticatorType? {
        switch self {
        case .authenticatePassword: .password
        case .authenticateFace: .face
        case .authenticateNativeBiometrics, .transactionSigningNativeBiometrics: .nativeBiometrics
        case .emailOTPAuthentication: .emailCode
        case .authenticateOTP, .transactionSigningOTP: .otp
        default: nil
        }
    }
}
