internal import MienAPI
package import MienCore
internal import MienFace
package import MienJourney
package import MienStore

/// Moves people from the templates of other model packs to those of the pack in use.
///
/// A template is compared only within its pack. Until a person has been migrated, their old template
/// therefore decides. A live capture that passes describes the face for both packs, and the new
/// template takes the old one's place under the same authenticator, so that everything that rests
/// on it stays: sign-ins, consent, and locks. docs/face-migration.md has the rules.
package struct FaceMigration: Sendable {
    /// The longest time that a template waits for a second factor of its run.
    static let candidateLifetime = Duration.seconds(3600)

    let store: Store
    let faces: FaceService
    let notices: AuthenticatorNotices
    let clock: ServerClock
    let metrics: Metrics

    /// Migrates a face that has just been recognized, if the score is high enough or the run has
    /// proved another factor. Otherwise, the new template waits for one until the run ends.
    ///
    /// - Parameters:
    ///   - user: The run's user with what it has proved so far.
    ///   - end: When the run ends.
    package func matched(
        _ face: AuthenticatorRecord, of account: AccountRecord, by passed: CaptureService.Passed,
        score: MatchScore, user: JourneyUser?, run: InstanceID, until end: Instant?
    ) async throws {
        try await withoutFailing {
            try await self.migrateMatched(
                face, of: account, by: passed, score: score, user: user, run: run, until: end)
        }
    }

    /// The person has signed in already, so a migration that fails is only counted.
    private func withoutFailing(_ body: @Sendable () async throws -> Void) async throws {
        do { try await body() } catch let error as CancellationError { throw error } catch {
            metrics.count(.faceMigrations, ["result": "failed"])
        }
    }

    private func migrateMatched(
        _ face: AuthenticatorRecord, of account: AccountRecord, by passed: CaptureService.Passed,
        score: MatchScore, user: JourneyUser?, run: InstanceID, until end: Instant?
    ) async throws {
        guard passed.mode != .image, try Self.template(face).packID != faces.packID else { return }
        if let ground = TemplateMigration.ground(score: score) {
            return try await migrate(face, to: passed.template, on: ground)
        }
        if let user, user.id == account.id, user.level == .authenticated,
            let proof = user.proof, proof.epoch == account.epoch,
            try await haveSecondFactor(proof.authenticators, of: account)
        {
            return try await migrate(face, to: passed.template, on: .secondFactor)
        }
        metrics.count(.faceMigrations, ["result": "waiting"])
        let now = clock.now
        let candidate = KeptFaceRecord(
            authenticator: face.id, role: .candidate, pack: faces.packID, run: run.text,
            content: Sensitive(passed.template.bytes), createdAt: now,
            expiresAt: min(end ?? now + Self.candidateLifetime, now + Self.candidateLifetime))
        try await store.write(.process) { tables in
            guard let account = try tables.accounts.find(face.account),
                try tables.authenticators.exists(face.id, of: account.id)
            else { return }
            try tables.keptFaces.put(candidate, of: account)
        }
    }

    /// Migrates the face that the run recognized earlier, now that it has proved another factor.
    ///
    /// - Parameter type: What was proved.
    package func proved(
        _ proof: Authentication, by type: AuthenticatorType, run: InstanceID
    ) async throws {
        guard !faces.formerPacks.isEmpty, Self.isSecondFactor(type) else { return }
        try await withoutFailing { try await self.migrateProved(proof, run: run) }
    }

    private func migrateProved(_ proof: Authentication, run: InstanceID) async throws {
        guard try await store.read({ try $0.keptFaces.hasCandidate(ofRun: run.text) }) else {
            return
        }
        let now = clock.now, user = proof.user, epoch = proof.use?.epoch
        let found = try await store.read {
            tables -> (AuthenticatorRecord, FaceTemplate)? in
            guard let account = try tables.accounts.find(user), epoch == account.epoch,
                let candidate = try tables.keptFaces.candidate(
                    ofRun: run.text, account, at: now),
                let face = try tables.authenticators.find(candidate.authenticator, of: account)
            else { return nil }
            return (face, try candidate.content.use { try FaceTemplate(bytes: $0) })
        }
        guard let (face, template) = found, template.packID == faces.packID,
            try Self.template(face).packID != faces.packID
        else { return }
        try await migrate(face, to: template, on: .secondFactor)
    }

    /// Whether an authenticator proves something else than the face. A mailed code proves only that
    /// somebody reads the user's mail, which gets the notice as well.
    private static func isSecondFactor(_ type: AuthenticatorType) -> Bool {
        type != .face && type != .emailCode
    }

    private func haveSecondFactor(_ used: [AuthenticatorID], of account: AccountRecord)
        async throws -> Bool
    {
        try await store.read { tables in
            try used.contains { id in
                try tables.authenticators.find(id, of: account).map { Self.isSecondFactor($0.type) }
                    ?? false
            }
        }
    }

    private static func template(_ face: AuthenticatorRecord) throws -> FaceTemplate {
        do { return try face.content.use { try FaceTemplate(bytes: $0) } } catch {
            throw StoreError(.corrupt, "a stored face template is malformed")
        }
    }

    /// Replaces a face's template and keeps the old one, unless the face has changed since it was
    /// read. The owner is told by email.
    private func migrate(
        _ face: AuthenticatorRecord, to template: FaceTemplate, on ground: TemplateMigration.Ground
    ) async throws {
        let now = clock.now, notice = notices.draft(), packID = faces.packID
        let old = try Self.template(face).packID, keptFor = TemplateMigration.keptFor
        let hasMigrated: Bool
        do {
            hasMigrated = try await store.write { tables in
                guard let account = try tables.accounts.find(face.account),
                    account.state.takesAuthenticators,
                    var current = try tables.authenticators.find(face.id, of: account),
                    current.updatedAt == face.updatedAt
                else { return false }
                try tables.keptFaces.put(
                    KeptFaceRecord(
                        authenticator: face.id, role: .former, pack: old,
                        content: current.content, createdAt: now, expiresAt: now + keptFor),
                    of: account)
                try tables.keptFaces.remove(.candidate, of: face.id)
                current.content = Sensitive(template.bytes)
                current.info["pack"] = .string(packID.text)
                current.info["photos"] = .number(Double(template.entries.count))
                current.info["migrated_from"] = .string(old.text)
                try tables.authenticators.update(current, of: account, at: now)
                try tables.audit.append(
                    AuditEvent(
                        "face.migrated", actor: "journey", account: account.id, app: face.app,
                        detail: [
                            "from": .string(old.text), "to": .string(packID.text),
                            "reason": .string(ground.rawValue),
                        ]), at: now)
                try notice.store(
                    about: current, of: account, app: face.app, news: .computedAgain,
                    in: tables, at: now)
                return true
            }
        } catch let error as Problem where error.code == .tooManyRequests {
            // The notice of the change cannot be mailed now, so nothing changes. The next capture
            // tries again.
            return
        } catch let error as StoreError where error.code == .stale {
            return
        }
        if hasMigrated { metrics.count(.faceMigrations, ["result": "migrated"]) }
    }

    // MARK: Packs

    /// Loads the packs with which people are enrolled, beside the one in use.
    ///
    /// - Parameter allowsMissing: Whether the server starts without packs that cannot be loaded.
    /// - Returns: Reasons why people cannot sign in with their faces, each for one pack.
    /// - Throws: ``ServerStartError`` `.faces` with these reasons, unless `allowsMissing` is set.
    package func loadPacks(allowsMissing: Bool) async throws -> [String] {
        var missing: [String] = []
        let packs = try await peopleByPack().sorted { $0.key.text < $1.key.text }
        for (pack, people) in packs where pack != faces.packID {
            do { try faces.load(former: pack) } catch {
                missing.append(
                    "\(people) \(people == 1 ? "person is" : "people are") enrolled with the model pack \(pack.text), which cannot be loaded: \(error)"
                )
            }
        }
        guard missing.isEmpty || allowsMissing else {
            throw ServerStartError(
                .faces,
                missing.joined(separator: ". ")
                    + ". They could not sign in with their faces. To start anyway, set face.missing_packs to true: they then sign in another way and register their faces again"
            )
        }
        return missing
    }

    /// Releases packs with which nobody is enrolled any longer.
    ///
    /// - Returns: The released packs.
    package func releasePacks() async throws -> [PackID] {
        let loaded = faces.formerPacks
        guard !loaded.isEmpty else { return [] }
        let needed = try await peopleByPack()
        let released = loaded.filter { needed[$0] == nil }
        for pack in released { faces.unload(former: pack) }
        return released
    }

    private func peopleByPack() async throws -> [PackID: Int] {
        var people: [PackID: Int] = [:]
        for count in try await store.read({ try $0.authenticators.facesByPack() }) {
            // A face of an unknown pack is refused when it is used.
            guard let pack = try? PackID(count.pack) else { continue }
            people[pack] = count.people
        }
        return people
    }

    /// Returns how many people remain to be migrated.
    func status() async throws -> FaceMigrationAnswer {
        let now = clock.now, current = faces.packID
        let (counts, remaining, former) = try await store.read { tables in
            (
                try tables.authenticators.facesByPack(),
                try tables.authenticators.people(withFacesOtherThan: current.text),
                try tables.keptFaces.countFormer(at: now)
            )
        }
        var packs: [FacePackAnswer] = [], unknown: [FacePackAnswer] = []
        for count in counts {
            if let pack = try? PackID(count.pack) {
                packs.append(
                    FacePackAnswer(
                        pack: pack.text, faces: count.faces, people: count.people,
                        isLoaded: faces.isLoaded(pack)))
            } else {
                unknown.append(
                    FacePackAnswer(
                        pack: "unknown", faces: count.faces, people: count.people,
                        isLoaded: false))
            }
        }
        return FaceMigrationAnswer(
            pack: current.text, remaining: remaining, formerTemplates: former,
            packs: packs + unknown)
    }
}
