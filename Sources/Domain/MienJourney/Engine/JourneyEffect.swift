public import MienCore

/// Something that a journey wants done: the caller does it and comes back with
/// `.performed(effect.result(…))`.
public struct JourneyEffect: Sendable, Hashable {
    /// Which visit of which step it belongs to. A result that names another is refused.
    public let ticket: EffectTicket
    public let work: Work

    /// What came of it.
    public func result(_ answer: EffectResult.Answer) -> EffectResult {
        EffectResult(ticket: ticket, answer: answer)
    }

    public enum Work: Sendable, Hashable {
        /// Who is this? Answer: `user`.
        case resolveUser(identifier: Sensitive<String>)
        /// Answer: `authenticated`.
        case authenticatePassword(user: UserReference, password: Sensitive<String>)
        /// Answer: `captureOpened`.
        case openCapture(CaptureRequest)
        /// What came of a capture that the client says is finished? Answer: `captured`.
        case readCapture(CaptureID)
        /// Answer: `verificationOpened`.
        case openIdentityVerification(VerificationRequest)
        /// Answer: `verified`. The performer compares `state` with the one it gave out.
        case readIdentityVerification(VerificationID, state: Sensitive<String>?)
        /// Answer: `faceRegistered`. The engine has seen to consent.
        case registerFace(user: UserID, capture: CaptureID, consentTextVersion: String)
        /// Answer: `faceAuthenticated`.
        case authenticateFace(user: UserReference, capture: CaptureID)
        /// Answer: `userCreated`.
        case createUser(NewUser)
        /// Answer: `codeSent`, also when there is no such user: then nothing is sent and no
        /// passcode will be right.
        case sendEmailCode(user: UserReference, length: Int, lifetimeSeconds: Int)
        /// Answer: `authenticated`.
        case checkEmailCode(CodeID, user: UserReference, passcode: Sensitive<String>)
        /// Answer: `deviceKeyRegistered`. The performer holds the app's policy against the
        /// attestation.
        case registerDeviceKey(user: UserID, DeviceKeyRegistration)
        /// Answer: `deviceChallenge`, also when there is no such user or key.
        case challengeDeviceKey(user: UserReference, DeviceKeyPurpose)
        /// Answer: `authenticated`.
        case verifyDeviceKey(user: UserReference, DeviceKeyProof)
        /// Answer: `done`.
        case deleteDeviceKey(user: UserID, keyID: String?)
        /// Answer: `otpOffered`.
        case offerOTP(user: UserID, OTPProfile)
        /// Did a device take what was offered, and is this its code? Answer: `otpRegistered`.
        case confirmOTP(user: UserID, CodeID, passcode: Sensitive<String>)
        /// Answer: `authenticated`.
        case authenticateOTP(user: UserReference, passcode: Sensitive<String>)
        /// Answer: `deviceChallenge`, also when there is no such user or token.
        case challengeOTP(approvalData: [String: String])
        /// Answer: `authenticated`.
        case verifyOTPSignature(user: UserReference, OTPSignature)
        /// Answer: `authenticated`.
        case authenticateRecoveryCode(user: UserReference, code: Sensitive<String>)
        /// Answer: `recovery`. `methods` is what the run has proved.
        case recoverAccount(user: UserID, methods: [String])
        /// Answer: `done`.
        case lockAuthenticator(user: UserID, AuthenticatorType)
        /// Answer: `done`.
        case unlockAuthenticator(user: UserID, AuthenticatorType)
        /// Answer: `webhookAnswered`.
        case callWebhook(WebhookCall)
        /// Answer: `done`.
        case recordConsent(user: UserID, ConsentText)
        /// Has this user consented, and not withdrawn? Answer: `consent`.
        case findConsent(user: UserID, textVersion: String)
    }
}

/// One visit of one step.
public struct EffectTicket: Sendable, Hashable, Codable {
    public let step: StepID
    /// Counts effects of the run; never used twice.
    public let turn: Int

    public init(step: StepID, turn: Int) { (self.step, self.turn) = (step, turn) }
}

public struct CaptureRequest: Sendable, Hashable {
    public enum Purpose: String, Sendable, Codable, CaseIterable {
        case authentication, registration
    }

    public let purpose: Purpose
    /// What the step asks for beyond what its app does.
    public let liveness: LivenessPolicy
    /// Whose face it is to be, if anybody's.
    public let user: UserReference?

    public init(
        purpose: Purpose, liveness: LivenessPolicy = LivenessPolicy(), user: UserReference? = nil
    ) {
        (self.purpose, self.liveness, self.user) = (purpose, liveness, user)
    }
}

public struct VerificationRequest: Sendable, Hashable {
    public let user: UserReference?
    /// Where the hosted pages send the browser afterwards.
    public let callbackURL: String?
    public let liveness: LivenessPolicy
}

public struct NewUser: Sendable, Hashable {
    public let externalID, username, email: Sensitive<String>?
    public let attributes: Sensitive<[String: JSONValue]>
    public let password: Sensitive<String>?
}

/// What a device sends when it has made a key.
public struct DeviceKeyRegistration: Sendable, Hashable {
    public let publicKey, publicKeyID, os: String
    /// The one that the device was asked with, to be used up whether it attests anything or not.
    public let challenge: ChallengeID
    public let attestation: String?
}

public enum DeviceKeyPurpose: Sendable, Hashable {
    /// A new key's attestation repeats it.
    case registration
    case authentication
    /// At most 10 pairs of `A-Z a-z 0-9 _ . -`, signed together with the challenge.
    case transaction(approvalData: [String: String])
}

public struct DeviceKeyProof: Sendable, Hashable {
    public let challenge: ChallengeID
    public let purpose: DeviceKeyPurpose
    public let publicKeyID: String
    public let signature: Sensitive<String>
    /// What the client repeats, for the performer to compare.
    public let userIdentifier: Sensitive<String>?
    public let challengeText: Sensitive<String>?
}

/// What kind of codes a new token makes.
public struct OTPProfile: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable { case totp, hotp }

    public static let digitCounts = 6...10

    public let kind: Kind
    public let digits: Int

    /// - Parameter digits: 6…10.
    public init(kind: Kind = .totp, digits: Int = 6) { (self.kind, self.digits) = (kind, digits) }
}

/// A token's response to a challenge that names a transaction.
public struct OTPSignature: Sendable, Hashable {
    public let challenge: ChallengeID
    public let approvalData: [String: String]
    public let passcode: Sensitive<String>
}

public struct WebhookCall: Sendable, Hashable {
    public let url: String
    public let body: Sensitive<[String: JSONValue]>
    public let timeoutSeconds: Int
}

public struct ConsentText: Sendable, Hashable {
    public let version: String
    /// What the person was shown, if this journey showed it.
    public let text: String?
}
