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
            searchConsent = "con_" + Base64URL.encode(generator.bytes(16)),
            sharingConsent = "con_" + Base64URL.encode(generator.bytes(16)),
            used = context.user?.proof?.authenticators ?? []
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
            // Registering again does not lift a lock, not even that of a face that the app shares.
            for face in try tables.faces(of: account, around: app)
            where try tables.locks.isHeld(face.id) {
                return .refused(.notAllowed)
            }
            // The consent counts as it was shown. An app that came to the group since was not named.
            if let sharing = passed.sharing {
                try tables.recordSharingConsent(sharingConsent, of: user, sharing, at: now)
            }
            let group = try tables.faceGroups.shared(with: app, by: user)
            let registered = AuthenticatorRecord(
                id: newID, account: user, type: .face, app: group?.space ?? app, content: bytes,
                info: info, createdAt: now)
            let replaced = try tables.faces(of: account, replacedIn: app, sharing: group)
            if let first = replaced.first {
                try tables.replaceAuthenticator(
                    first, with: registered, of: account, keeping: grant, at: now)
            } else {
                try tables.authenticators.insert(registered, of: account)
            }
            for old in replaced.dropFirst() {
                if let grant { try tables.grants.replace(old.id, with: newID, in: grant) }
                _ = try tables.removeAuthenticator(old, at: now)
            }
            if group != nil { try tables.faceGroups.noteUse(of: newID, in: app, at: now) }
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
                    detail: Self.detail(photos: photos, group)), at: now)
            try notice.store(about: registered, of: account, app: app, in: tables, at: now)
            let old = replaced.first { used.contains($0.id) } ?? replaced.first
            return .faceRegistered(
                user, capture: capture,
                replacing: old.map { AuthenticatorReplacement(of: $0.id, with: newID) })
        }
    }

    private static func detail(photos: Int, _ group: FaceGroupID?) -> [String: JSONValue] {
        var detail: [String: JSONValue] = ["photos": .number(Double(photos))]
        detail["face_group"] = group.map { .string($0.text) }
        return detail
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
            try await store.read { try $0.face(of: account, in: app) }
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
        guard try await noteUse(of: authenticator, in: app) else {
            // The app left the group, or the consent ended, while the face was compared.
            try await gate.abandon(pass)
            return try await refuse(.face, account.id, context)
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

    /// Notes that an app uses a shared face.
    ///
    /// - Returns: `false` if the face is not shared with the app any longer.
    private func noteUse(of face: AuthenticatorRecord, in app: AppID) async throws -> Bool {
        guard let group = FaceGroupID(space: face.app) else { return true }
        let now = clock.now,
            isNoted = try await store.read { tables in
                try tables.faceGroups.isUsed(face.id, in: app)
                    && tables.faceGroups.shared(with: app, by: face.account) == group
            }
        if isNoted { return true }
        return try await store.write { tables in
            guard try tables.faceGroups.shared(with: app, by: face.account) == group,
                try tables.authenticators.exists(face.id, of: face.account)
            else { return false }
            try tables.faceGroups.noteUse(of: face.id, in: app, at: now)
            return true
        }
    }
}

extension Tables {
    /// The faces of an app, of its group, and of the other apps of the group.
    fileprivate func faces(of account: AccountRecord, around app: AppID) throws
        -> [AuthenticatorRecord]
    {
        let group = try faceGroups.group(of: app)
        let spaces = Set([app] + (group.map { [$0.id.space] + $0.apps.keys } ?? []))
        return try spaces.flatMap { try authenticators.all(.face, of: account, app: $0) }
    }

    /// The faces that a new one replaces: that of the app or, for a shared one, that of the group
    /// and those of the apps that the person agreed to share it with.
    fileprivate func faces(
        of account: AccountRecord, replacedIn app: AppID, sharing group: FaceGroupID?
    ) throws -> [AuthenticatorRecord] {
        var spaces = [app]
        if let group {
            spaces += [group.space]
            spaces += try faceGroups.apps(sharing: group, of: account.id).filter { $0 != app }
        }
        return try spaces.flatMap { try authenticators.all(.face, of: account, app: $0) }
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
