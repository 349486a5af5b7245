public import MienCore

/// The result of an effect.
public struct EffectResult: Sendable, Hashable {
    /// The ticket of the effect.
    public let ticket: EffectTicket
    public let answer: Answer

    public init(ticket: EffectTicket, answer: Answer) {
        (self.ticket, self.answer) = (ticket, answer)
    }

    public enum Answer: Sendable, Hashable {
        case user(UserID?)
        /// - Parameter by: the authenticator that was used; `nil` in simulations.
        case authenticated(UserID, amr: [String], by: AuthenticatorUse? = nil)
        /// Reports a face match and the capture it used.
        case faceAuthenticated(
            UserID, capture: CaptureID, amr: [String], by: AuthenticatorUse? = nil)
        case captureOpened(CaptureID, startToken: String)
        /// Reports that every liveness and quality check passed. `summary` goes into the step's
        /// output variable.
        case captured(CaptureID, summary: [String: JSONValue])
        case verificationOpened(VerificationSession)
        case verified(VerificationVerdict)
        /// - Parameter replacement: the face that this one replaces.
        case faceRegistered(
            UserID, capture: CaptureID, _ replacement: AuthenticatorReplacement? = nil)
        case userCreated(UserID)
        case codeSent(CodeID)
        case deviceKeyRegistered(UserID, publicKeyID: String)
        case deviceChallenge(ChallengeID, challenge: String)
        /// Carries the registration code for the device and its expiration time.
        case otpOffered(CodeID, registrationCode: Sensitive<String>, expiresAt: Instant)
        case otpRegistered(UserID)
        case done
        case webhookAnswered(status: Int, body: JSONValue)
        case consent(Bool)
        case recovery(UserID, RecoveryDecision)
        /// Reports a refusal. Any effect can be refused.
        case refused(StepErrorCode)
    }
}

/// The result of a request to recover an account.
public enum RecoveryDecision: Sendable, Hashable {
    /// The hold period is over and the run has restored access.
    case restored
    /// The user has provided enough proof and does not need recovery.
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
    /// The account that the verified person owns, if the verification checked that.
    public let establishes: UserID?
    /// The capture that holds the verification's selfie.
    public let capture: CaptureID?
    /// Values for the step's output variable.
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
