public import MienCore

/// The answer of an effect's performer. ``Pending`` says which one each effect waits for.
public enum EffectAnswer: Sendable, Hashable {
    /// Any effect can be refused.
    case refused(StepErrorCode)
    /// The effect has nothing to report.
    case done
    /// The user with an identifier; `nil` if it matches nobody.
    case user(UserID?)
    /// Proof of who the user is.
    case proof(Authentication)
    case captureOpened(CaptureID, startToken: String)
    /// A capture that passed every liveness and quality check.
    ///
    /// - Parameters:
    ///   - summary: Values for the step's output variable.
    ///   - consentTextVersion: The version of the text that the person consented to in the capture.
    case captured(CaptureID, summary: [String: JSONValue], consentTextVersion: String? = nil)
    case verificationOpened(VerificationSession)
    case verified(VerificationVerdict)
    /// A verification session that has not ended.
    case unfinished(VerificationWait)
    case faceRegistered(UserID, capture: CaptureID, replacing: AuthenticatorReplacement? = nil)
    /// A challenge for a device key or an OTP token.
    ///
    /// - Parameter names: The names under which the user signs in. Only for registration.
    case deviceChallenge(ChallengeID, challenge: String, names: [String] = [])
    /// - Parameter replacing: The device's earlier keys, which this one replaces.
    case deviceKeyRegistered(
        UserID, publicKeyID: String, replacing: [AuthenticatorReplacement] = [])
    case codeSent(CodeID)
    /// The registration code for the device, and its expiration time.
    case otpOffered(CodeID, registrationCode: Sensitive<String>, expiresAt: Instant)
    case otpRegistered(UserID)
    /// A request for approval that the server has stored.
    ///
    /// - Parameter code: The text that the user types on the other device.
    case approvalOpened(ChallengeID, code: String, expiresAt: Instant)
    case recovery(UserID, RecoveryDecision)
    /// - Parameter epoch: The epoch that the new password started; `nil` in simulations.
    case passwordSet(UserID, epoch: Int?)
    /// Whether the user has consented and not withdrawn.
    case consent(Bool)
    case userCreated(UserID)
    case webhookAnswered(status: Int, body: JSONValue)
}

extension EffectAnswer {
    public var isRefusal: Bool { if case .refused = self { true } else { false } }

    /// The refusal's code. Any unexpected answer counts as an outage.
    var refusal: StepErrorCode { if case .refused(let code) = self { code } else { .unavailable } }
}
