internal import MienAccess
internal import MienCore
internal import MienJourney

/// A run of a journey as it is stored: the engine's value, and what the server adds.
struct RunState: Codable, Sendable {
    var instance: JourneyInstance
    /// The client's own mark.
    var flowID: String?
    /// A device the client has proved to be one that this account has signed in on.
    var device: Device?
    /// The sign-in it was begun with, if it was.
    var begun: Begun?
    /// The account that this run is signing up.
    var signUp: UserID?
    /// The methods that have succeeded in this run, and for whom. Stored runs of older servers have
    /// none.
    var successes: [Success]?

    struct Success: Codable, Sendable, Hashable {
        let account: UserID
        let method: AuthenticatorType
    }

    struct Begun: Codable, Sendable {
        let grant: GrantID
        let signedInAt: Instant
        /// What that sign-in proved, and when.
        let proofs: [SignInProof]
    }

    struct Device: Codable, Sendable {
        let id: DeviceID
        let account: UserID
    }
}

extension RunState {
    /// Notes a method that has succeeded.
    mutating func note(_ answer: EffectResult.Answer, to work: JourneyEffect.Work) {
        let account: UserID
        switch answer {
        case .authenticated(let user, _, _), .faceAuthenticated(let user, _, _, _): account = user
        default: return
        }
        guard let method = work.method else { return }
        let success = Success(account: account, method: method)
        if successes?.contains(success) != true { successes = (successes ?? []) + [success] }
    }

    /// The methods that have succeeded for this user in this run.
    func methods(of user: UserID) -> Set<AuthenticatorType> {
        Set((successes ?? []).filter { $0.account == user }.map(\.method))
    }
}

extension JourneyEffect.Work {
    /// The method that succeeds with this work, for work that judges an authenticator.
    fileprivate var method: AuthenticatorType? {
        switch self {
        case .authenticatePassword: .password
        case .authenticateFace: .face
        case .checkEmailCode: .emailCode
        case .verifyDeviceKey: .nativeBiometrics
        case .authenticateOTP, .verifyOTPSignature: .otp
        case .authenticateRecoveryCode: .recoveryCode
        case .resolveUser, .openCapture, .readCapture, .openIdentityVerification,
            .readIdentityVerification, .registerFace, .createUser,
            .sendEmailCode, .registerDeviceKey, .challengeDeviceKey, .deleteDeviceKey, .offerOTP,
            .confirmOTP, .challengeOTP, .recoverAccount,
            .lockAuthenticator,
            .unlockAuthenticator, .callWebhook, .recordConsent, .findConsent:
            nil
        }
    }
}
