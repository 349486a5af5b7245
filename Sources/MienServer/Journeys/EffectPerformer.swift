internal import Foundation
internal import MienAPI
internal import MienAccess
internal import MienCore
internal import MienFace
internal import MienJourney
internal import MienStore

/// What a journey's effects happen in.
struct EffectContext: Sendable {
    let run: InstanceID
    let app: AppRecord
    let device: RunState.Device?
    /// Whom the run knows of.
    let lastUser: JourneyUser?

    /// The known device, if it is this account's.
    func device(of account: UserID) -> DeviceID? { device?.account == account ? device?.id : nil }
}

/// Does what journeys want done: accounts, passwords, faces, codes, mails, calls.
///
/// To strangers every refusal is `invalid_credentials`, after the same work: an unknown user's password is hashed, too.
final class EffectPerformer: Sendable {
    /// Guesses at one code.
    static let codeAttempts = 5

    let store: Store
    let gate: LockGate
    let passwords: PasswordService
    let captures: CaptureService
    let faces: FaceService
    let mail: MailService
    let webhooks: WebhookCaller
    let guesses: RateLimiter
    let clock: ServerClock
    let metrics: Metrics
    let threshold: MatchScore
    let publicURL: @Sendable () -> String

    init(
        store: Store, passwords: PasswordService, captures: CaptureService, faces: FaceService, mail: MailService, webhooks: WebhookCaller,
        clock: ServerClock, metrics: Metrics, configuration: ServerConfiguration, publicURL: @escaping @Sendable () -> String
    ) {
        (self.store, self.passwords, self.captures, self.faces) = (store, passwords, captures, faces)
        (self.mail, self.webhooks, self.clock, self.metrics, self.publicURL) = (mail, webhooks, clock, metrics, publicURL)
        gate = LockGate(store: store, clock: clock)
        let rate = configuration.guessesPerMinute
        guesses = RateLimiter(.init(burst: rate, perMinute: rate))
        threshold = MatchScore(configuration.faceThreshold)
    }

    /// - Throws: what keeps the effect from being judged at all: the store, a full queue. The run then stays where it was.
    func perform(_ work: JourneyEffect.Work, _ context: EffectContext) async throws -> EffectResult.Answer {
        switch work {
        case .resolveUser(let identifier): return .user(try await account(.identifier(identifier))?.id)
        case .authenticatePassword(let user, let password): return try await authenticate(user, password: password, context)
        case .openCapture(let request):
            let (id, token) = try await captures.open(request, run: context.run, app: context.app.id)
            return .captureOpened(id, startToken: token)
        case .readCapture(let id):
            switch try await captures.outcome(id, run: context.run) {
            case .failure(let error): return .refused(error.code)
            case .success(let passed): return .captured(id, summary: Self.summary(passed))
            }
        case .openIdentityVerification(let request): return try await openVerification(request, context)
        case .readIdentityVerification(let id, let state): return try await readVerification(id, state, context)
        case .registerFace(let user, let capture, let version): return try await registerFace(user, capture, version, context)
        case .authenticateFace(let user, let capture): return try await authenticate(user, capture: capture, context)
        case .createUser(let user): return try await create(user, context)
        case .sendEmailCode(let user, let length, let lifetime): return try await sendCode(user, length: length, seconds: lifetime, context)
        case .checkEmailCode(let code, let user, let passcode): return try await check(code, user, passcode, context)
        case .registerDeviceKey, .challengeDeviceKey, .verifyDeviceKey, .deleteDeviceKey:
            // The proof of a device's key is not built yet: refused, rather than believed.
            return .refused(.unavailable)
        case .lockAuthenticator(let user, let type): return try await setLock(true, user, type, context)
        case .unlockAuthenticator(let user, let type): return try await setLock(false, user, type, context)
        case .callWebhook(let call): return await webhooks.call(call, run: context.run, app: context.app.id)
        case .recordConsent(let user, let text): return try await recordConsent(user, text, context)
        case .findConsent(let user, let version):
            let app = context.app.id
            let consent = try await store.read { try $0.consents.current(of: user, app: app, purpose: Self.facePurpose) }
            return .consent(consent?.textVersion == version)
        }
    }

    // MARK: Accounts

    static let facePurpose = "face"

    /// An active account; `nil` for none and for one that is suspended.
    func account(_ user: UserReference) async throws -> AccountRecord? {
        let found: AccountRecord? =
            switch user {
            case .id(let id): try await store.read { try $0.accounts.find(id) }
            case .identifier(let text): try await store.read { tables in try text.use { try tables.accounts.find(identifier: $0) } }
            }
        return found?.state == .active ? found : nil
    }

    /// One bucket an account, whether it exists or not.
    private func mayGuess(_ user: UserReference) -> Bool {
        let key =
            switch user {
            case .id(let id): id.text
            case .identifier(let text): text.use { Base64URL.encode(store.keys.hash(ofSecret: Array(($0.lowercased()).utf8))) }
            }
        return guesses.take(key, at: clock.now) == nil
    }

    private func create(_ user: NewUser, _ context: EffectContext) async throws -> EffectResult.Answer {
        let profile = AccountProfile(
            externalID: user.externalID?.use { $0 }, username: user.username?.use { $0 }, email: user.email?.use { $0 },
            attributes: user.attributes.use { $0 })
        do {
            let id = try await AccountService(store: store, passwords: passwords, clock: clock).create(
                profile, password: user.password, actor: "journey", app: context.app.id)
            return .userCreated(id)
        } catch let problem as Problem {
            // A stranger must not learn here which names are taken; the journey's author decides what to say.
            return .refused(problem.code == .conflict ? .userExists : .notAllowed)
        }
    }

    private func setLock(_ isLocked: Bool, _ user: UserID, _ type: AuthenticatorType, _ context: EffectContext) async throws -> EffectResult.Answer {
        let now = clock.now, app = context.app.id
        let found = try await store.read { tables -> AuthenticatorID? in
            guard let account = try tables.accounts.find(user) else { return nil }
            return try tables.authenticators.find(type, of: account, app: type.isPerApp ? app : nil)?.id
        }
        guard let found else { return .refused(.notRegistered) }
        if isLocked { try await gate.lock(found) } else { try await store.write { try $0.locks.unlock(found) } }
        try await store.write {
            try $0.audit.append(
                AuditEvent(
                    isLocked ? "authenticator.locked" : "authenticator.unlocked", actor: "journey", account: user, app: app,
                    detail: ["authenticator": .string(found.text), "type": .string(type.rawValue)]), at: now)
        }
        return .done
    }

    private func recordConsent(_ user: UserID, _ text: ConsentText, _ context: EffectContext) async throws -> EffectResult.Answer {
        let now = clock.now, app = context.app.id
        var generator = SystemRandomNumberGenerator()
        let record = ConsentRecord(
            id: "con_" + Base64URL.encode(generator.bytes(16)), account: user, app: app, purpose: Self.facePurpose, textVersion: text.version,
            givenAt: now)
        try await store.write { tables in
            try tables.consents.insert(record)
            try tables.audit.append(
                AuditEvent("consent.given", actor: "journey", account: user, app: app, detail: ["text_version": .string(text.version)]), at: now)
        }
        return .done
    }

    // MARK: Password

    private func authenticate(
        _ user: UserReference, password: Sensitive<String>, _ context: EffectContext
    ) async throws -> EffectResult.Answer {
        guard mayGuess(user) else { return .refused(.invalidCredentials) }
        let account = try await account(user)
        let authenticator = try await account.asyncMap { account in
            try await store.read { try $0.authenticators.find(.password, of: account, app: nil) }
        }
        guard let account, let authenticator = authenticator ?? nil else {
            _ = try await passwords.verify(password, against: nil)
            return try await refuse(.password, nil, context)
        }
        let hash = authenticator.content.use { Sensitive(String(decoding: $0, as: UTF8.self)) }
        let policy = context.app.settings.lockPolicy(for: .password)
        guard let pass = try await gate.begin(authenticator.id, policy: policy, device: context.device(of: account.id)) else {
            // As long as a guess that is judged; the secret is not.
            _ = try await passwords.verify(password, against: nil)
            return try await refuse(.password, account.id, context, locked: true)
        }
        let isRight: Bool
        do { isRight = try await passwords.verify(password, against: hash) } catch {
            try await gate.abandon(pass)
            throw error
        }
        guard isRight else { return try await refuse(.password, account.id, context) }
        try await gate.succeed(pass)
        if passwords.isOutdated(hash) {
            let new = try await passwords.hash(password), now = clock.now
            do {
                try await store.write { tables in
                    var changed = authenticator
                    changed.content = Sensitive(Array(new.utf8))
                    try tables.authenticators.update(changed, of: account, at: now)
                }
            } catch let error as StoreError where error.code == .stale {
                // Changed in the meantime: the newer password stays.
            }
        }
        try await accept(.password, account.id, context)
        return .authenticated(account.id, amr: [AuthenticatorType.password.method])
    }

    // MARK: Face

    private func registerFace(
        _ user: UserID, _ capture: CaptureID, _ consentVersion: String, _ context: EffectContext
    ) async throws -> EffectResult.Answer {
        let passed: CaptureService.Passed
        switch try await captures.outcome(capture, run: context.run) {
        case .failure(let error): return .refused(error.code)
        case .success(let found): passed = found
        }
        let now = clock.now, app = context.app.id, packID = faces.packID
        var generator = SystemRandomNumberGenerator()
        let newID = AuthenticatorID.random(using: &generator)
        let bytes = passed.template.bytes, photos = passed.template.entries.count
        let answer = try await store.write { tables -> EffectResult.Answer in
            guard let account = try tables.accounts.find(user), account.state == .active else { return .refused(.userMissing) }
            guard try tables.consents.current(of: user, app: app, purpose: Self.facePurpose)?.textVersion == consentVersion else {
                return .refused(.consentMissing)
            }
            let info: [String: JSONValue] = ["photos": .number(Double(photos)), "pack": .string(packID.text), "consent": .string(consentVersion)]
            if var old = try tables.authenticators.find(.face, of: account, app: app) {
                (old.content, old.info) = (Sensitive(bytes), info)
                try tables.authenticators.update(old, of: account, at: now)
                try tables.locks.unlock(old.id)
            } else {
                try tables.authenticators.insert(
                    AuthenticatorRecord(id: newID, account: user, type: .face, app: app, content: bytes, info: info, createdAt: now), of: account)
            }
            // In the same step, so that no template is left behind without its capture having ended.
            try tables.captures.delete(capture)
            try tables.audit.append(
                AuditEvent("face.registered", actor: "journey", account: user, app: app, detail: ["photos": .number(Double(photos))]), at: now)
            return .faceRegistered(user, capture: capture)
        }
        return answer
    }

    private func authenticate(_ user: UserReference, capture: CaptureID, _ context: EffectContext) async throws -> EffectResult.Answer {
        let passed: CaptureService.Passed
        switch try await captures.outcome(capture, run: context.run) {
        case .failure(let error): return .refused(error.code)
        case .success(let found): passed = found
        }
        // Whatever comes of it, this capture is not judged again.
        try await captures.remove(capture)
        guard mayGuess(user) else { return .refused(.invalidCredentials) }
        let app = context.app.id
        let account = try await account(user)
        let found = try await account.asyncMap { account in try await store.read { try $0.authenticators.find(.face, of: account, app: app) } }
        guard let account, let authenticator = found ?? nil else {
            _ = try faces.score(passed.template, against: passed.template)
            return try await refuse(.face, account?.id, context)
        }
        let policy = context.app.settings.lockPolicy(for: .face)
        guard let pass = try await gate.begin(authenticator.id, policy: policy, device: context.device(of: account.id)) else {
            _ = try faces.score(passed.template, against: passed.template)
            return try await refuse(.face, account.id, context, locked: true)
        }
        let score: MatchScore?
        do {
            let template = try authenticator.content.use { try FaceTemplate(bytes: $0) }
            score = try faces.score(passed.template, against: template)
        } catch {
            try await gate.abandon(pass)
            throw StoreError(.corrupt, "a face template is not understood")
        }
        guard let score else {
            // Made by another model pack: nothing was compared, so nothing was guessed.
            try await gate.abandon(pass)
            return try await refuse(.face, account.id, context, reason: "other-pack")
        }
        let least = max(context.app.settings.faceThreshold.map { MatchScore($0) } ?? threshold, MatchScore(24))
        guard score >= least else { return try await refuse(.face, account.id, context) }
        try await gate.succeed(pass)
        try await accept(.face, account.id, context)
        return .faceAuthenticated(account.id, capture: capture, amr: [AuthenticatorType.face.method])
    }

    // MARK: Identity verification

    private func openVerification(_ request: VerificationRequest, _ context: EffectContext) async throws -> EffectResult.Answer {
        var generator = SystemRandomNumberGenerator()
        let random = Base64URL.encode(generator.bytes(16))
        guard let id = VerificationID("idv_" + random), let captureID = CaptureID("cap_" + random) else { return .refused(.unavailable) }
        let capture = CaptureRequest(purpose: .registration, liveness: request.liveness, user: nil)
        let (_, token) = try await captures.open(capture, run: context.run, app: context.app.id, id: captureID)
        let base = publicURL()
        return .verificationOpened(
            VerificationSession(
                id: id, startToken: token, baseEndpoint: base, endpoint: base + "/v1/capture/frames", state: verificationState(id, context)))
    }

    /// What the client has to bring back, if it brings anything: bound to the session and the run.
    private func verificationState(_ id: VerificationID, _ context: EffectContext) -> String {
        Base64URL.encode(store.keys.hash(ofSecret: Array("idv-state \(id.text) \(context.run.text)".utf8)).prefix(16))
    }

    /// A selfie of sufficient quality is all that is checked for now, and the summary says so.
    private func readVerification(_ id: VerificationID, _ state: Sensitive<String>?, _ context: EffectContext) async throws -> EffectResult.Answer {
        if let state, !state.use({ isSame(Array($0.utf8), Array(verificationState(id, context).utf8)) }) { return .refused(.clientFailed) }
        guard let capture = CaptureID("cap_" + id.text.dropFirst(4)) else { return .refused(.captureMissing) }
        switch try await captures.outcome(capture, run: context.run) {
        case .failure(let error) where error.code == .captureRefused:
            return .verified(.init(session: id, recommendation: .deny, summary: ["checks": ["selfie_quality"], "documents": "not_checked"]))
        case .failure(let error): return .refused(error.code)
        case .success(let passed):
            var summary = Self.summary(passed)
            summary["checks"] = ["selfie_quality"]
            summary["documents"] = "not_checked"
            return .verified(.init(session: id, recommendation: .allow, capture: capture, summary: summary))
        }
    }

    private static func summary(_ passed: CaptureService.Passed) -> [String: JSONValue] {
        ["quality": .number(Double(passed.template.entries.map(\.quality).max() ?? 0)), "photos": .number(Double(passed.template.entries.count))]
    }

    // MARK: Codes by e-mail

    private func sendCode(_ user: UserReference, length: Int, seconds: Int, _ context: EffectContext) async throws -> EffectResult.Answer {
        var generator = SystemRandomNumberGenerator()
        let codeID = CodeID.random(using: &generator)
        let code = (0..<length).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
        let mayGuess = mayGuess(user), account = mayGuess ? try await account(user) : nil
        let address = account?.profile.use { $0.email }
        let now = clock.now, hash = codeHash(code, codeID), app = context.app.id
        let authenticatorID = AuthenticatorID.random(using: &generator)
        // For nobody, too, so that it takes as long: a code that no mail tells, and an entry without an account.
        try await store.write { tables in
            try tables.codes.put(codeID.text, hash: hash, expiresAt: now + .seconds(seconds))
            if let account, address != nil, try tables.authenticators.find(.emailCode, of: account, app: nil) == nil {
                try tables.authenticators.insert(
                    AuthenticatorRecord(id: authenticatorID, account: account.id, type: .emailCode, app: nil, content: [], createdAt: now),
                    of: account)
            }
            try tables.audit.append(
                AuditEvent(address == nil ? "code.not-sent" : "code.sent", actor: "journey", account: account?.id, app: app), at: now)
        }
        guard let address else { return .codeSent(codeID) }
        mail.send(
            Mail(
                to: Sensitive(address), subject: "Your code for \(context.app.name)",
                body: Sensitive(
                    """
                    Your code is \(code)

                    It is good for \(seconds < 120 ? "\(seconds) seconds" : "\(seconds / 60) minutes") and for one sign-in at \(context.app.name).
                    If you did not ask for it, somebody else typed your address; you need not do anything.
                    """)))
        return .codeSent(codeID)
    }

    private func check(
        _ code: CodeID, _ user: UserReference, _ passcode: Sensitive<String>, _ context: EffectContext
    ) async throws -> EffectResult.Answer {
        guard mayGuess(user), let account = try await account(user) else { return try await refuse(.emailCode, nil, context) }
        guard let authenticator = try await store.read({ try $0.authenticators.find(.emailCode, of: account, app: nil) }),
            let pass = try await gate.begin(
                authenticator.id, policy: context.app.settings.lockPolicy(for: .emailCode), device: context.device(of: account.id))
        else { return try await refuse(.emailCode, account.id, context) }
        let hash = passcode.use { codeHash($0, code) }, now = clock.now
        guard try await store.write(.always, { try $0.codes.take(code.text, hash: hash, attempts: Self.codeAttempts, at: now) }) else {
            return try await refuse(.emailCode, account.id, context)
        }
        try await gate.succeed(pass)
        try await accept(.emailCode, account.id, context)
        return .authenticated(account.id, amr: [AuthenticatorType.emailCode.method])
    }

    private func codeHash(_ code: String, _ id: CodeID) -> [UInt8] { store.keys.hash(ofSecret: Array("code \(id.text) \(code)".utf8)) }

    // MARK: For the record

    private func accept(_ type: AuthenticatorType, _ account: UserID, _ context: EffectContext) async throws {
        metrics.count("mien_authentications_total", "type=\"\(type.rawValue)\",result=\"accepted\"")
        try await note("\(type.rawValue).accepted", account, context, [:])
    }

    /// One answer for every refusal; the audit log knows which it was.
    private func refuse(
        _ type: AuthenticatorType, _ account: UserID?, _ context: EffectContext, locked: Bool = false, reason: String? = nil
    ) async throws -> EffectResult.Answer {
        metrics.count("mien_authentications_total", "type=\"\(type.rawValue)\",result=\"refused\"")
        var detail: [String: JSONValue] = locked ? ["locked": true] : [:]
        if let reason { detail["reason"] = .string(reason) }
        // Also for nobody: writing takes time, and an entry that only an owner's account gets would tell.
        try await note("\(type.rawValue).refused", account, context, detail)
        return .refused(.invalidCredentials)
    }

    private func note(_ event: String, _ account: UserID?, _ context: EffectContext, _ detail: [String: JSONValue]) async throws {
        let now = clock.now, app = context.app.id
        try await store.write { try $0.audit.append(AuditEvent(event, actor: "journey", account: account, app: app, detail: detail), at: now) }
    }
}

extension Optional where Wrapped: Sendable {
    fileprivate func asyncMap<Output: Sendable>(_ body: (Wrapped) async throws -> Output) async rethrows -> Output? {
        guard let self else { return nil }
        return try await body(self)
    }
}
