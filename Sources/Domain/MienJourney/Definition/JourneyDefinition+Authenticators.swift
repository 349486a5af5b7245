public import MienCore

extension JourneyDefinition {
    /// The authenticators that this journey's steps use.
    public var authenticatorsAsked: Set<AuthenticatorType> {
        Set(steps.values.compactMap(\.type.authenticator))
    }
}

extension StepType {
    /// The authenticator that this step checks.
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
