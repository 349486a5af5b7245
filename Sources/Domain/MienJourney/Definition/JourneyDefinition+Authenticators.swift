public import MienCore

extension JourneyDefinition {
    /// The authenticators that this journey's steps use.
    public var authenticatorsAsked: Set<AuthenticatorType> {
        Set(steps.values.compactMap { $0.step.asked })
    }

    /// Whether the journey's steps only find out who somebody is: none registers, changes, removes,
    /// or sends anything but codes.
    public var onlySignsIn: Bool {
        steps.values.allSatisfy { Self.signingIn.contains($0.type) }
    }

    /// Whether one of the user's recovery codes restores access in this journey.
    public var restoresByCode: Bool {
        steps.values.contains { $0.type == .recoveryCodeAuthentication }
    }

    public var hasLoginForm: Bool { steps.values.contains { $0.type == .loginForm } }

    private static let signingIn: Set<StepType> = [
        .loginForm, .selfieAcquisition, .authenticateFace, .authenticatePassword,
        .authenticateOTP, .emailOTPAuthentication, .recoveryCodeAuthentication, .loop, .condition,
        .setVariables, .information, .completeJourney, .rejectAccess,
    ]
}
