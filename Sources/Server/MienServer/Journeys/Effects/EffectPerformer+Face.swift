internal import MienAPI
internal import MienCore
internal import MienFace
internal import MienJourney
internal import MienStore

/// Faces.
extension EffectPerformer {
    func openCapture(_ request: CaptureRequest, _ context: EffectContext) async throws
        -> EffectAnswer
    {
        let wanted = CaptureRequest(
            purpose: request.purpose, liveness: request.liveness,
            user: try await expected(request.user, context), consent: request.consent)
        let (id, token) = try await captures.open(wanted, for: context.captureOrigin)
        return .captureOpened(id, startToken: token)
    }

    func readCapture(_ capture: CaptureID, _ context: EffectContext) async throws -> EffectAnswer {
        switch try await captures.outcome(capture, run: context.run, app: context.app) {
        case .failure(let error): .refused(error.code)
        case .success(let passed):
            .captured(
                capture, summary: Self.summary(passed),
                consentTextVersion: passed.consentTextVersion)
        }
    }

    func registerFace(
        _ user: UserID, _ capture: CaptureID, _ consentVersion: String, _ context: EffectContext
    ) async throws -> EffectAnswer {
        let passed: CaptureService.Passed
        switch try await captures.outcome(capture, run: context.run, app: context.app) {
        case .failure(let error): return .refused(error.code)
        case .success(let found): passed = found
        }
        let now = clock.now, app = context.app.id, packID = faces.packID,
            grant = context.begun?.grant, standing = context.standing(of: user)
        var generator = SystemRandomNumberGenerator()
        let newID = AuthenticatorID.random(using: &generator), appRecord = context.app,
            searchConsent = "con_" + Base64URL.encode(generator.bytes(16))
        let bytes = passed.template.bytes, photos = passed.template.entries.count,
            notice = notices.draft(), shadow = shadow.record(of: passed, for: newID)
        return try await store.write { tables -> EffectAnswer in
            guard let account = try tables.accounts.find(user), account.state.takesAuthenticators,
                try standing.holds(in: tables)
            else {
                return .refused(.userMissing)
            }
            guard
                try tables.consents.current(of: user, app: app, purpose: FaceConsent.purpose)?
                    .textVersion == consentVersion
            else {
                return .refused(.consentMissing)
            }
            let info: [String: JSONValue] = [
                "photos": .number(Double(photos)), "pack": .string(packID.text),
                "consent": .string(consentVersion),
            ]
            let registered = AuthenticatorRecord(
                id: newID, account: user, type: .face, app: app, content: bytes, info: info,
                createdAt: now)
            let old = try tables.authenticators.find(.face, of: account, app: app)
            if let old {
                // Registering again does not lift a lock.
                guard try !tables.locks.isHeld(old.id) else { return .refused(.notAllowed) }
                try tables.replaceAuthenticator(
                    old, with: registered, of: account, keeping: grant, at: now)
            } else {
                try tables.authenticators.insert(registered, of: account)
            }
            if let shadow { try tables.shadowTemplates.put(shadow, of: account) }
            // Do not search for duplicates of test accounts.
            if !account.isTest {
                try tables.queueDuplicateSearch(
                    newID, of: user, app: appRecord, consentVersion: consentVersion, by: passed,
                    recording: searchConsent, at: now)
            }
            // Delete the capture in the same transaction, so that no template is stored while its
            // capture can still be used.
            try tables.captures.delete(capture)
            try tables.audit.append(
                AuditEvent(
                    "face.registered", actor: "journey", account: user, app: app,
                    detail: ["photos": .number(Double(photos))]), at: now)
            try notice.store(about: registered, of: account, app: app, in: tables, at: now)
            let replaced = old.map { AuthenticatorReplacement(of: $0.id, with: newID) }
            return .faceRegistered(user, capture: capture, replacing: replaced)
        }
    }

    func authenticate(_ user: UserReference, capture: CaptureID, _ context: EffectContext)
        async throws -> EffectAnswer
    {
        let passed: CaptureService.Passed
        switch try await captures.outcome(
            capture, run: context.run, app: context.app, for: .authentication)
        {
        case .failure(let error): return .refused(error.code)
        case .success(let found): passed = found
        }
        // A capture is judged only once, whatever the result.
        try await captures.remove(capture)
        let app = context.app.id
        let account = try await account(user, context)
        guard try await mayGuess(user, account, .face, context) else {
            return .refused(.invalidCredentials)
        }
        let found = try await account.asyncMap { account in
            try await store.read { try $0.authenticators.find(.face, of: account, app: app) }
        }
        guard let account, let authenticator = found ?? nil else {
            try await gate.pretend()
            _ = try faces.score(passed.templates, against: passed.template)
            await shadow.pretend(passed)
            return try await refuse(.face, account?.id, context)
        }
        guard let pass = try await gate.begin(authenticator, device: context.device(of: account.id))
        else {
            try await gate.pretend()
            _ = try faces.score(passed.templates, against: passed.template)
            await shadow.pretend(passed)
            return try await refuse(.face, account.id, context, locked: true)
        }
        let score: MatchScore?
        let template: FaceTemplate
        do {
            template = try authenticator.content.use { try FaceTemplate(bytes: $0) }
            score = try faces.score(passed.templates, against: template)
        } catch {
            try await gate.abandon(pass)
            throw StoreError(.corrupt, "a stored face template is malformed")
        }
        guard let score else {
            // The model pack that made the template is not loaded. Nothing was compared, so no guess
            // counts.
            try await gate.abandon(pass)
            return try await refuse(.face, account.id, context, reason: "other-pack")
        }
        let minScore = max(
            context.app.settings.faceThreshold.map { MatchScore($0) } ?? threshold, MatchScore(24))
        await shadow.judge(
            passed, against: template, of: authenticator.id, account, score: score,
            minScore: minScore)
        guard score >= minScore else {
            return try await refuse(.face, account.id, context, isJudged: true)
        }
        try await gate.succeed(pass)
        try await accept(.face, account.id, context)
        try await migration.matched(
            authenticator, of: account, by: passed, score: score, user: context.user,
            run: context.run, until: context.endsAt)
        return .faceAuthenticated(
            account.id, capture: capture,
            amr: [AuthenticatorType.face.method] + passed.mode.methods,
            by: AuthenticatorUse(authenticator.id, epoch: account.epoch))
    }
}

extension LivenessPolicy.Mode {
    /// What `amr` says about a capture in this mode, besides `face`. Replaced actions prove the same.
    var methods: [String] {
        switch self {
        case .image: []
        case .livenessPassive: ["x_live_passive"]
        case .livenessActive: ["x_live"]
        }
    }
}
