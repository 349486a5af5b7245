public import MienCore

/// Work that a journey requests. The caller performs it and returns `.performed(effect.result(…))`.
public struct JourneyEffect: Sendable, Hashable {
    /// Identifies the step visit that the effect belongs to. A result with another ticket is
    /// rejected.
    public let ticket: EffectTicket
    public let work: Work

    /// Returns a result with this effect's ticket.
    public func result(_ answer: EffectResult.Answer) -> EffectResult {
        EffectResult(ticket: ticket, answer: answer)
    }

    public enum Work: Sendable, Hashable {
        /// Finds the user with this identifier. Answer: `user`.
        case resolveUser(identifier: Sensitive<String>)
        /// Answer: `authenticated`.
        case authenticatePassword(user: UserReference, password: Sensitive<String>)
        /// Answer: `captureOpened`.
        case openCapture(CaptureRequest)
        /// Reads a capture that the client reports as finished. Answer: `captured`.
        case readCapture(CaptureID)
        /// Answer: `verificationOpened`.
        case openIdentityVerification(VerificationRequest)
        /// Reads the verification and compares `state` with the issued one. Answer: `verified`.
        case readIdentityVerification(VerificationID, state: Sensitive<String>?)
        /// Answer: `faceRegistered`. The engine has already checked consent.
        case registerFace(user: UserID, capture: CaptureID, consentTextVersion: String)
        /// Answer: `faceAuthenticated`.
        case authenticateFace(user: UserReference, capture: CaptureID)
        /// Answer: `userCreated`.
        case createUser(NewUser)
        /// Sends a code by email. Answer: `codeSent`, even for an unknown user: nothing is sent
        /// then, and no passcode is accepted.
        case sendEmailCode(user: UserReference, length: Int, lifetimeSeconds: Int)
        /// Answer: `authenticated`.
        case checkEmailCode(CodeID, user: UserReference, passcode: Sensitive<String>)
        /// Checks the attestation against the app's policy. Answer: `deviceKeyRegistered`.
        case registerDeviceKey(user: UserID, DeviceKeyRegistration)
        /// Answer: `deviceChallenge`, even for an unknown user or key.
        case challengeDeviceKey(user: UserReference, DeviceKeyPurpose)
        /// Answer: `authenticated`.
        case verifyDeviceKey(user: UserReference, DeviceKeyProof)
        /// Answer: `done`.
        case deleteDeviceKey(user: UserID, keyID: String?)
        /// Answer: `otpOffered`.
        case offerOTP(user: UserID, OTPProfile)
        /// Checks that a device redeemed the offer and that this is its code. Answer:
        /// `otpRegistered`.
        case confirmOTP(user: UserID, CodeID, passcode: Sensitive<String>)
        /// Answer: `authenticated`.
        case authenticateOTP(user: UserReference, passcode: Sensitive<String>)
        /// Answer: `deviceChallenge`, even for an unknown user or OTP token.
        case challengeOTP(approvalData: [String: String])
        /// Answer: `authenticated`.
        case verifyOTPSignature(user: UserReference, OTPSignature)
        /// Answer: `authenticated`.
        case authenticateRecoveryCode(user: UserReference, code: Sensitive<String>)
        /// Answer: `recovery`. `methods` lists the methods proved in this run.
        case recoverAccount(user: UserID, methods: [String])
        /// Answer: `done`.
        case lockAuthenticator(user: UserID, AuthenticatorType)
        /// Answer: `done`.
        case unlockAuthenticator(user: UserID, AuthenticatorType)
        /// Answer: `webhookAnswered`.
        case callWebhook(WebhookCall)
        /// Answer: `done`.
        case recordConsent(user: UserID, ConsentText)
        /// Checks whether the user has consented and not withdrawn. Answer: `consent`.
        case findConsent(user: UserID, textVersion: String)
    }
}

/// Identifies one visit of one step.
public struct EffectTicket: Sendable, Hashable, Codable {
    public let step: StepID
    /// The effect's number within the run; never reused.
    public let turn: Int

    public init(step: StepID, turn: Int) { (self.step, self.turn) = (step, turn) }
}

public struct CaptureRequest: Sendable, Hashable {
    public enum Purpose: String, Sendable, Codable, CaseIterable {
        case authentication, registration
    }

    public let purpose: Purpose
    /// The step's requirements beyond the app's own.
    public let liveness: LivenessPolicy
    /// The user whose face is expected, if any.
    public let user: UserReference?

    public init(
        purpose: Purpose, liveness: LivenessPolicy = LivenessPolicy(), user: UserReference? = nil
    ) {
        (self.purpose, self.liveness, self.user) = (purpose, liveness, user)
    }
}

public struct VerificationRequest: Sendable, Hashable {
    public let user: UserReference?
    /// The address to which the hosted pages redirect the browser afterwards.
    public let callbackURL: String?
    public let liveness: LivenessPolicy
}

public struct NewUser: Sendable, Hashable {
    public let externalID, username, email: Sensitive<String>?
    public let attributes: Sensitive<[String: JSONValue]>
    public let password: Sensitive<String>?
}

/// The data a device sends after it creates a key.
public struct DeviceKeyRegistration: Sendable, Hashable {
    public let publicKey, publicKeyID, os: String
    /// The challenge the device received. It is used up even if the attestation is invalid.
    public let challenge: ChallengeID
    public let attestation: String?
}

public enum DeviceKeyPurpose: Sendable, Hashable {
    /// Registration of a key; the new key's attestation repeats the challenge.
    case registration
    case authentication
    /// Signing of at most 10 pairs of `A-Z a-z 0-9 _ . -`, together with the challenge.
    case transaction(approvalData: [String: String])
}

public struct DeviceKeyProof: Sendable, Hashable {
    public let challenge: ChallengeID
    public let purpose: DeviceKeyPurpose
    public let publicKeyID: String
    public let signature: Sensitive<String>
    /// The identifier that the client repeats, for the performer to compare.
    public let userIdentifier: Sensitive<String>?
    public let challengeText: Sensitive<String>?
}

/// The kind of codes that a new OTP token generates.
public struct OTPProfile: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable { case totp, hotp }

    public static let digitCounts = 6...10

    public let kind: Kind
    public let digits: Int

    /// - Parameter digits: 6…10.
    public init(kind: Kind = .totp, digits: Int = 6) { (self.kind, self.digits) = (kind, digits) }
}

/// An OTP token's response to a transaction challenge.
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
    /// The text shown to the person, if this journey showed it.
    public let text: String?
}
