public import MienCore

/// What came of an effect.
public struct EffectResult: Sendable, Hashable {
    /// The effect's.
    public let ticket: EffectTicket
    public let answer: Answer

    public init(ticket: EffectTicket, answer: Answer) {
        (self.ticket, self.answer) = (ticket, answer)
    }

    public enum Answer: Sendable, Hashable {
        case user(UserID?)
        /// - Parameter by: the authenticator; `nil` in simulations.
        case authenticated(UserID, amr: [String], by: AuthenticatorUse? = nil)
        /// The verdict names the capture it judged.
        case faceAuthenticated(
            UserID, capture: CaptureID, amr: [String], by: AuthenticatorUse? = nil)
        case captureOpened(CaptureID, startToken: String)
        /// Every liveness and quality check passed. `summary` goes into the step's output variable.
        case captured(CaptureID, summary: [String: JSONValue])
        case verificationOpened(VerificationSession)
        case verified(VerificationVerdict)
        case faceRegistered(UserID, capture: CaptureID)
        case userCreated(UserID)
        case codeSent(CodeID)
        case deviceKeyRegistered(UserID, publicKeyID: String)
        case deviceChallenge(ChallengeID, challenge: String)
        /// What to give the device, and until when.
        case otpOffered(CodeID, registrationCode: Sensitive<String>, expiresAt: Instant)
        case otpRegistered(UserID)
        case done
        case webhookAnswered(status: Int, body: JSONValue)
        case consent(Bool)
        case recovery(UserID, RecoveryDecision)
        /// No. Answers every effect.
        case refused(StepErrorCode)
    }
}

/// What came of a request to recover an account.
public enum RecoveryDecision: Sendable, Hashable {
    /// The hold is over: the run has restored access.
    case restored
    /// The user has proved enough not to need recovery.
    case sufficient
    case held(until: Instant)
}

public struct VerificationSession: Sendable, Hashable {
    public let id: VerificationID
    public let startToken, baseEndpoint, endpoint, state: String

    public init(
        id: VerificationID, startToken: String, baseEndpoint: String, endpoint: String,
        state: String
    ) {
        (self.id, self.startToken, self.baseEndpoint, self.endpoint, self.state) = (
            id, startToken, baseEndpoint, endpoint, state
        )
    }
}

public struct VerificationVerdict: Sendable, Hashable {
    public enum Recommendation: String, Sendable, Hashable, CaseIterable {
        case allow, challenge, deny
    }

    public let session: VerificationID
    public let recommendation: Recommendation
    /// The account that the verified person was found to own, if that was checked.
    public let establishes: UserID?
    /// Its selfie.
    public let capture: CaptureID?
    /// For the step's output variable.
    public let summary: [String: JSONValue]

    public init(
        session: VerificationID, recommendation: Recommendation, establishes: UserID? = nil,
        capture: CaptureID? = nil,
        summary: [String: JSONValue] = [:]
    ) {
        (self.session, self.recommendation, self.establishes, self.capture, self.summary) = (
            session, recommendation, establishes, capture, summary
        )
    }
}
