public import MienAPI

/// The type of a step. The raw value is `type` in a definition. Each step's file declares its own.
public struct StepType: RawRepresentable, Sendable, Hashable {
    public let rawValue: String

    /// Declares a type. The step that has it is listed in ``all``.
    init(declared rawValue: String) { self.rawValue = rawValue }

    /// Returns the type with this name, if a step has it.
    public init?(rawValue: String) {
        guard Self.implementations[Self(declared: rawValue)] != nil else { return nil }
        self.init(declared: rawValue)
    }
}

extension StepType {
    /// Every step, in reference order. A new step is added here, and nowhere else in the engine.
    static let all: [any JourneyStep.Type] = [
        LoginForm.self,
        AuthenticatePassword.self,
        SelfieAcquisition.self,
        IdentityVerification.self,
        RegisterFace.self,
        AuthenticateFace.self,
        RegisterNativeBiometrics.self,
        AuthenticateNativeBiometrics.self,
        DeleteNativeBiometrics.self,
        TransactionSigningNativeBiometrics.self,
        EmailOTPAuthentication.self,
        RegisterOTP.self,
        AuthenticateOTP.self,
        TransactionSigningOTP.self,
        TransactionApprovalOTP.self,
        AuthenticateRecoveryCode.self,
        RecoverAccount.self,
        SetPassword.self,
        ChangePassword.self,
        RecordConsent.self,
        CreateUser.self,
        SetAuthenticatorLock<Locking>.self,
        SetAuthenticatorLock<Unlocking>.self,
        Information.self,
        WaitForTime.self,
        CallWebhook.self,
        Condition.self,
        Loop.self,
        SetVariables.self,
        CompleteJourney.self,
        RejectAccess.self,
    ]

    private static let implementations = Dictionary(
        uniqueKeysWithValues: all.map { ($0.type, $0) })

    /// The type that implements the step.
    var implementation: any JourneyStep.Type {
        guard let implementation = Self.implementations[self] else {
            preconditionFailure("“\(rawValue)” is missing in StepType.all")
        }
        return implementation
    }

    /// The name that clients switch on; `nil` for steps they never see.
    public var wireName: JourneyStepName? { implementation.wireName }

    /// The effects that the step requests.
    public var effects: [any StepEffect.Type] { implementation.effects }
}

extension StepType: CaseIterable {
    public static let allCases = all.map { $0.type }
}
