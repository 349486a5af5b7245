internal import Foundation
internal import MienAPI
internal import MienCore
internal import MienFace
internal import MienJourney
package import MienStore

/// The context in which a journey's effects are performed.
package struct EffectContext: Sendable {
    let run: InstanceID
    /// The number of the effect within the run.
    let turn: Int
    let app: AppRecord
    let device: ProvedDevice?
    /// The run's user, as far as it is known.
    let user: JourneyUser?
    /// The sign-in that the run began with.
    let begun: RunState.Begun?
    /// The account this run is signing up, and when the run ends.
    var signUp: UserID?
    var endsAt: Instant?
    /// Whether the run is a trial, which knows test accounts only.
    var isTrial = false

    /// The account that the client has signed in to, before or in this run.
    var signedIn: UserID? { user.flatMap { $0.level == .authenticated ? $0.id : nil } }

    /// Returns the ID of the known device if it belongs to the account.
    func device(of account: UserID) -> DeviceID? {
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

    let store: Store
    let gate: LockGate
    let passwordCheck: PasswordCheck
    let accounts: AccountService
    let captures: CaptureService
    let links: CaptureLinks
    let verifications: VerificationSessions
    let faces: FaceService
    let migration: FaceMigration
    let shadow: FaceShadow
    let mail: MailService
    let webhooks: WebhookCaller
    let deviceKeys: DeviceKeyService
    let attestations: AttestationJudge
    let challenges: ChallengeService
    let tokens: OTPService
    let notices: AuthenticatorNotices
    let recoveryCodes: RecoveryCodeService
    let recoveries: RecoveryService
    let changes: AuthenticatorChanges
    let guesses: RateLimit
    /// Codes mailed to one user: somebody who types their name must not flood their mailbox.
    let codeMails: RateLimit
    let signUps: SignUpService
    let clock: ServerClock
    let metrics: Metrics
    let threshold: MatchScore
    let publicURL: @Sendable () -> String

    package init(
        store: Store, gate: LockGate, passwords: PasswordCheck, accounts: AccountService,
        captures: CaptureService, links: CaptureLinks, verifications: VerificationSessions,
        faces: FaceService, migration: FaceMigration, shadow: FaceShadow, mail: MailService,
        webhooks: WebhookCaller, deviceKeys: DeviceKeyService, attestations: AttestationJudge,
        challenges: ChallengeService, tokens: OTPService,
        changes: AuthenticatorChanges,
        notices: AuthenticatorNotices, recoveryCodes: RecoveryCodeService,
        recoveries: RecoveryService, clock: ServerClock, metrics: Metrics,
        configuration: ServerConfiguration,
        publicURL: @escaping @Sendable () -> String
    ) {
        (self.store, self.gate, self.captures, self.faces) = (store, gate, captures, faces)
        (self.migration, self.shadow, self.links) = (migration, shadow, links)
        self.verifications = verifications
        (passwordCheck, self.accounts) = (passwords, accounts)
        (self.mail, self.webhooks, self.clock, self.metrics, self.publicURL) = (
            mail, webhooks, clock, metrics, publicURL
        )
        (self.deviceKeys, self.attestations, self.challenges, self.tokens) = (
            deviceKeys, attestations, challenges, tokens
        )
        (self.notices, self.recoveryCodes, self.recoveries) = (notices, recoveryCodes, recoveries)
        self.changes = changes
        let rate = configuration.guessesPerMinute
        guesses = RateLimit(
            "guesses", .init(burst: rate, perMinute: rate), store: store, clock: clock)
        codeMails = RateLimit(
            "code-mails", .init(burst: 10, perMinute: 2), store: store, clock: clock)
        signUps = SignUpService(accounts: accounts, mail: mail)
        threshold = MatchScore(configuration.faceThreshold)
    }

    // MARK: Audit and metrics

    func accept(_ type: AuthenticatorType, _ account: UserID, _ context: EffectContext) async throws
    {
        countAccepted(type)
        try await note("\(type.rawValue).accepted", account, context, [:])
    }

    func countAccepted(_ type: AuthenticatorType) {
        metrics.count(.authentications, ["type": type.rawValue, "result": "accepted"])
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
    ) async throws -> EffectAnswer {
        try await noteRefusal(
            type, account, context, isJudged: isJudged, locked: locked, reason: reason)
        return .refused(.invalidCredentials)
    }

    /// Counts a refusal, and records it in the audit log. Parameters are those of `refuse`.
    func noteRefusal(
        _ type: AuthenticatorType, _ account: UserID?, _ context: EffectContext, isJudged: Bool,
        locked: Bool, reason: String? = nil
    ) async throws {
        metrics.count(.authentications, ["type": type.rawValue, "result": "refused"])
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
