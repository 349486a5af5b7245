internal import MienAccess
internal import MienCore
internal import MienJourney
internal import MienServerAccess

/// A stored run of a journey: the engine's value and the server's additions.
struct RunState: Codable, Sendable {
    var instance: JourneyInstance
    /// An opaque value chosen by the client.
    var flowID: String?
    /// The known device that the client has proved to be, and its account.
    var device: ProvedDevice?
    /// The sign-in that the run began with, if any.
    var begun: Begun?
    /// The account that this run is signing up.
    var signUp: UserID?
    /// The methods that have succeeded in this run, and for which account. Missing in runs stored
    /// by older servers.
    var successes: [Success]?

    struct Success: Codable, Sendable, Hashable {
        let account: UserID
        let method: AuthenticatorType
    }

    struct Begun: Codable, Sendable {
        let grant: GrantID
        let signedInAt: Instant
        /// The proofs of that sign-in, with their times.
        let proofs: [SignInProof]
    }
}

extension RunState {
    /// Records the method that has succeeded.
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

    /// Returns the methods that have succeeded for this user in this run.
    func methods(of user: UserID) -> Set<AuthenticatorType> {
        Set((successes ?? []).filter { $0.account == user }.map(\.method))
    }
}

extension JourneyEffect.Work {
    /// The authenticator that this work verifies; `nil` if it verifies none.
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
