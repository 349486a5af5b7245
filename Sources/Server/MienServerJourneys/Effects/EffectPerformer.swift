internal import Foundation
internal import MienAPI
internal import MienAccess
package import MienCore
internal import MienFace
internal import MienJourney
package import MienServerAccess
package import MienServerAccounts
package import MienServerCore
package import MienServerDevices
package import MienServerFaces
package import MienServerMail
package import MienServerOTP
package import MienStore

/// The context in which a journey's effects are performed.
package struct EffectContext: Sendable {
    package let run: InstanceID
    /// The number of the effect within the run.
    let turn: Int
    package let app: AppRecord
    package let device: ProvedDevice?
    /// The run's user, as far as it is known.
    let user: JourneyUser?
    /// The sign-in that the run began with.
    let begun: RunState.Begun?
    /// The account this run is signing up, and when the run ends.
    var signUp: UserID?
    var endsAt: Instant?

    /// The account that the client has signed in to, before or in this run.
    var signedIn: UserID? { user.flatMap { $0.level == .authenticated ? $0.id : nil } }

    /// Returns the ID of the known device if it belongs to the account.
    package func device(of account: UserID) -> DeviceID? {
        device?.account == account ? device?.id : nil
    }
    var knownDevice: KnownDevice? {
        device.map { KnownDevice(id: $0.id, account: $0.account, app: app.id) }
    }

    /// The run as the origin of a capture.
    var captureOrigin: CaptureOrigin {
        CaptureOrigin(run: run, app: app, device: device, signedIn: signedIn)
    }

    /// The sign-in behind an effect on `user`.
    func standing(of user: UserID) -> SignInStanding {
        SignInStanding(
            account: user, epoch: self.user?.proof?.epoch, grant: begun?.grant,
            authenticators: self.user?.proof?.authenticators ?? [])
    }
}

/// Performs the effects of journeys: accounts, passwords, faces, codes, mails, and webhook calls.
///
/// Strangers get `invalid_credentials` for every refusal, after the same work. For example, an
/// unknown user's password is hashed as well.
package final class EffectPerformer: Sendable {
    /// The maximum number of guesses at one code.
    static let codeAttempts = 5

    package let store: Store
    let gate: LockGate
    let passwords: PasswordService
    package let captures: CaptureService
    let faces: FaceService
    package let mail: MailService
    let webhooks: WebhookCaller
    let deviceKeys: DeviceKeyService
    let attestations: AttestationJudge
    package let challenges: ChallengeService
    let tokens: OTPService
    let notices: AuthenticatorNotices
    let recoveryCodes: RecoveryCodeService
    package let recoveries: RecoveryService
    let changes: AuthenticatorChanges
    let guesses: RateLimiter
    /// Codes mailed to one user: somebody who types their name must not flood their mailbox.
    let codeMails = RateLimiter(.init(burst: 10, perMinute: 2))
    let signUps: SignUpService
    package let clock: ServerClock
    let metrics: Metrics
    let threshold: MatchScore
    package let publicURL: @Sendable () -> String

    package init(
        store: Store, gate: LockGate, passwords: PasswordService, captures: CaptureService,
        faces: FaceService, mail: MailService,
        webhooks: WebhookCaller, deviceKeys: DeviceKeyService, attestations: AttestationJudge,
        challenges: ChallengeService, tokens: OTPService,
        changes: AuthenticatorChanges,
        notices: AuthenticatorNotices, recoveryCodes: RecoveryCodeService,
        recoveries: RecoveryService, clock: ServerClock, metrics: Metrics,
        configuration: ServerConfiguration,
        publicURL: @escaping @Sendable () -> String
    ) {
        (self.store, self.gate, self.passwords, self.captures, self.faces) = (
            store, gate, passwords, captures, faces
        )
        (self.mail, self.webhooks, self.clock, self.metrics, self.publicURL) = (
            mail, webhooks, clock, metrics, publicURL
        )
        (self.deviceKeys, self.attestations, self.challenges, self.tokens) = (
            deviceKeys, attestations, challenges, tokens
        )
        (self.notices, self.recoveryCodes, self.recoveries) = (notices, recoveryCodes, recoveries)
        self.changes = changes
        let rate = configuration.guessesPerMinute
        guesses = RateLimiter(.init(burst: rate, perMinute: rate))
        signUps = SignUpService(
            accounts: AccountService(
                store: store, passwords: passwords, notices: notices, clock: clock), mail: mail)
        threshold = MatchScore(configuration.faceThreshold)
    }

    /// - Throws: An error that keeps the effect from being performed, such as a store failure or a
    ///   full queue. The run then does not advance.
    func perform(_ work: JourneyEffect.Work, _ context: EffectContext) async throws
        -> EffectResult.Answer
    {
        do { return try await performChecked(work, context) } catch let error as OAuthError
            where error.code == .invalidToken
        {
            return .refused(.insufficientUserAuthentication)
        }
    }

    private func performChecked(_ work: JourneyEffect.Work, _ context: EffectContext) async throws
        -> EffectResult.Answer
    {
        if let (change, user) = Self.change(by: work),
            let refusal = try await changes.refusal(of: change, of: user, in: context)
        {
            try await note(
                "authenticator.change_refused", user, context, ["reason": .string(refusal.rawValue)]
            )
            return .refused(refusal)
        }
        switch work {
        case .resolveUser(let identifier):
            return .user(try await account(.identifier(identifier), context)?.id)
        case .authenticatePassword(let user, let password):
            return try await EvenPace.keep(where: \.isRefusal) {
                try await authenticate(user, password: password, context)
            }
        case .openCapture(let request):
            let (id, token) = try await captures.open(request, for: context.captureOrigin)
            return .captureOpened(id, startToken: token)
        case .readCapture(let id):
            switch try await captures.outcome(id, run: context.run, app: context.app) {
            case .failure(let error): return .refused(error.code)
            case .success(let passed): return .captured(id, summary: Self.summary(passed))
            }
        case .openIdentityVerification(let request):
            return try await openVerification(request, context)
        case .readIdentityVerification(let id, let state):
            return try await readVerification(id, state, context)
        case .registerFace(let user, let capture, let version):
            return try await registerFace(user, capture, version, context)
        case .authenticateFace(let user, let capture):
            return try await EvenPace.keep(where: \.isRefusal) {
                try await authenticate(user, capture: capture, context)
            }
        case .createUser(let user):
            return try await EvenPace.keep(step: EvenPace.signUpStep) {
                try await create(user, context)
            }
        case .sendEmailCode(let user, let length, let lifetime):
            return try await EvenPace.keep {
                try await sendCode(user, length: length, seconds: lifetime, context)
            }
        case .checkEmailCode(let code, let user, let passcode):
            return try await EvenPace.keep { try await check(code, user, passcode, context) }
        case .registerDeviceKey(let user, let key): return try await registerKey(user, key, context)
        case .challengeDeviceKey(_, let purpose): return try await challenge(purpose, context)
        case .verifyDeviceKey(let user, let proof): return try await verify(user, proof, context)
        case .deleteDeviceKey(let user, let keyID): return try await deleteKey(user, keyID, context)
        case .offerOTP(let user, let profile): return try await offerOTP(user, profile, context)
        case .confirmOTP(let user, let registration, let passcode):
            return try await confirmOTP(user, registration, passcode, context)
        case .authenticateOTP(let user, let passcode):
            return try await EvenPace.keep { try await authenticateOTP(user, passcode, context) }
        case .challengeOTP(let data):
            return try await challenge(.transaction(approvalData: data), context)
        case .verifyOTPSignature(let user, let signature):
            return try await EvenPace.keep { try await verify(user, signature, context) }
        case .authenticateRecoveryCode(let user, let code):
            return try await EvenPace.keep {
                try await authenticateRecoveryCode(user, code, context)
            }
        case .recoverAccount(let user, let methods):
            return try await recoveries.request(user, methods, app: context.app)
        case .lockAuthenticator(let user, let type):
            return try await setLock(true, user, type, context)
        case .unlockAuthenticator(let user, let type):
            return try await setLock(false, user, type, context)
        case .callWebhook(let call):
            return await webhooks.call(
                call, run: context.run, turn: context.turn, app: context.app.id)
        case .recordConsent(let user, let text): return try await recordConsent(user, text, context)
        case .findConsent(let user, let version):
            let app = context.app.id
            let consent = try await store.read {
                try $0.consents.current(of: user, app: app, purpose: FaceConsent.purpose)
            }
            return .consent(consent?.textVersion == version)
        }
    }

    /// Returns the change that an effect makes to a user's authenticators. There is no `default`,
    /// so a new effect does not compile until it is classified.
    private static func change(by work: JourneyEffect.Work) -> (AuthenticatorChange, UserID)? {
        switch work {
        case .registerFace(let user, capture: _, consentTextVersion: _): (.add, user)
        case .registerDeviceKey(let user, _), .offerOTP(let user, _): (.add, user)
        case .deleteDeviceKey(let user, keyID: _): (.remove, user)
        case .resolveUser, .authenticatePassword, .openCapture, .readCapture,
            .openIdentityVerification, .readIdentityVerification, .authenticateFace,
            .createUser, .sendEmailCode, .checkEmailCode, .challengeDeviceKey, .verifyDeviceKey,
            .confirmOTP, .authenticateOTP, .challengeOTP,
            .verifyOTPSignature, .lockAuthenticator, .unlockAuthenticator, .callWebhook,
            .recordConsent, .findConsent,
            .authenticateRecoveryCode, .recoverAccount:
            nil
        }
    }

    // MARK: Audit and metrics

    func accept(_ type: AuthenticatorType, _ account: UserID, _ context: EffectContext) async throws
    {
        countAccepted(type)
        try await note("\(type.rawValue).accepted", account, context, [:])
    }

    func countAccepted(_ type: AuthenticatorType) {
        metrics.count("mien_authentications_total", "type=\"\(type.rawValue)\",result=\"accepted\"")
    }

    /// Returns a mark for the use of a single-use code by one step of one run. The mark is written
    /// in the transaction that uses up the code. If the server is killed before the run advances,
    /// the client sends its answer again, and the mark shows that this step took the code.
    func stepUse(of codeHash: [UInt8], _ context: EffectContext) -> [UInt8] {
        store.keys.hash(
            ofSecret: Array("step \(context.run.text) \(context.turn) ".utf8) + codeHash)
    }

    /// Returns the same answer for every refusal. The audit log records the reason.
    ///
    /// - Parameter isJudged: Whether the lock gate counted the guess. The gate limits such guesses,
    ///   so each gets its own audit entry. Anybody can cause any number of other refusals, so those
    ///   are only counted.
    func refuse(
        _ type: AuthenticatorType, _ account: UserID?, _ context: EffectContext,
        isJudged: Bool = false, locked: Bool = false, reason: String? = nil
    ) async throws -> EffectResult.Answer {
        metrics.count("mien_authentications_total", "type=\"\(type.rawValue)\",result=\"refused\"")
        var detail: [String: JSONValue] = locked ? ["locked": true] : [:]
        if let reason { detail["reason"] = .string(reason) }
        // Write for unknown users as well, and as durably. Writing takes time, so a write for
        // existing accounts only would reveal which accounts exist.
        let
            event = AuditEvent(
                "\(type.rawValue).refused", actor: "journey", account: account, app: context.app.id,
                detail: detail), now = clock.now
        try await store.write {
            try isJudged ? $0.audit.append(event, at: now) : $0.audit.count(event, at: now)
        }
        return .refused(.invalidCredentials)
    }

    func note(
        _ event: String, _ account: UserID?, _ context: EffectContext, _ detail: [String: JSONValue]
    ) async throws {
        let now = clock.now, app = context.app.id
        try await store.write {
            try $0.audit.append(
                AuditEvent(event, actor: "journey", account: account, app: app, detail: detail),
                at: now)
        }
    }
}

extension EffectResult.Answer {
    fileprivate var isRefusal: Bool {
        if case .refused = self { true } else { false }
    }
}
