public import MienCore
package import MienFace
public import MienVault

/// Moves people from the templates of other model packs to those of the service's pack. A new
/// template takes the old one's place in the same enrollment, so keys, tokens, and the PIN's
/// confirmation stay. docs/face-migration.md has the rules.
extension FaceAuthService {
    /// A new template that waits for the PIN, in memory only.
    struct MigrationCandidate: Sendable {
        let old: FaceTemplate, new: FaceTemplate
        let madeAt: Instant

        func isWaiting(at now: Instant) -> Bool {
            (.zero..<FaceAuthInput.lifetime).contains(now - madeAt)
        }
    }

    /// Returns the model packs with which people are enrolled. Load those that differ from the
    /// service's own as `formerPacks`, so that these people are recognized and migrated.
    ///
    /// - Throws: as ``people()``.
    public func packs() async throws -> Set<PackID> {
        Set(try await faces().map(\.template.packID))
    }

    /// Returns the replaced templates that are still kept, without their content.
    ///
    /// - Throws: as ``people()``.
    public func formerFaces() async throws -> [FormerFace] {
        try await faces().compactMap { face in
            face.former.map {
                FormerFace(
                    person: face.name, packID: $0.template.packID, keptUntil: $0.keptUntil)
            }
        }
    }

    /// Migrates a person whose last capture passed with a score below 60, confirmed by the device's
    /// PIN. Ask for it right after that capture, and say what it is for.
    ///
    /// - Parameter pin: The device's PIN. Wrong ones are counted, see ``checkPIN(_:)``.
    /// - Returns: `nil` if no capture waits, because it is older than 60 seconds or was used. The PIN
    ///   is then not judged.
    /// - Throws: ``FaceAuthError`` `.notLicensed`, `.tampered`; `DeviceError` `.biometricNoPasscode`,
    ///   `.wrongPasscode`, `.passcodeLockout`, `.storage`.
    public func confirmMigration(of name: PersonName, pin: Sensitive<String>) async throws
        -> FaceMigrationNotice?
    {
        try requirePermission()
        guard let candidate = candidates[name], candidate.isWaiting(at: now()) else { return nil }
        try passcode.judge(pin, of: name)
        candidates[name] = nil
        let ground = TemplateMigration.ground(score: MatchScore(0), hasSecondFactor: true)
        return await migrate(name, candidate, on: ground)
    }

    /// Migrates a person who was just recognized live, or lets the new template wait for the PIN.
    ///
    /// - Parameters:
    ///   - old: The stored template, with which the person was compared.
    ///   - new: The same capture, described for the service's pack.
    /// - Returns: `nil` if there is nothing to migrate.
    package func recognized(
        _ name: PersonName, by old: FaceTemplate, as new: FaceTemplate, score: MatchScore
    ) async -> FaceMigrationNotice? {
        guard old.packID != packID, new.packID == packID else { return nil }
        return await migrate(
            name, MigrationCandidate(old: old, new: new, madeAt: now()),
            on: TemplateMigration.ground(score: score))
    }

    /// - Parameter ground: `nil` if the candidate has to wait.
    private func migrate(
        _ name: PersonName, _ candidate: MigrationCandidate, on ground: TemplateMigration.Ground?
    ) async -> FaceMigrationNotice? {
        let outcome: FaceMigrationNotice.Outcome
        if let ground {
            let keptUntil = now() + TemplateMigration.keptFor
            // The person was recognized in any case, so an error only delays the migration.
            do {
                guard try await replace(name, candidate, keptUntil: keptUntil) else { return nil }
                outcome = .migrated(ground, keptUntil: keptUntil)
            } catch { outcome = .failed }
        } else {
            candidates[name] = candidate
            outcome = .waiting
        }
        let notice = FaceMigrationNotice(
            person: name, from: candidate.old.packID, to: packID, outcome: outcome)
        await onMigration?(notice)
        return notice
    }

    /// Stores the new template. The state announces it first and confirms it afterwards, so an
    /// interruption leaves the old or the new template, confirmed as before.
    ///
    /// - Returns: `false` if the stored template is no longer the one that was compared.
    private func replace(
        _ name: PersonName, _ candidate: MigrationCandidate, keptUntil: Instant
    ) async throws -> Bool {
        let old = FaceAuthMode.mark(candidate.old), new = FaceAuthMode.mark(candidate.new)
        let random = random, isConfirmed = try await isConfirmed(candidate.old, of: name)
        if isConfirmed {
            try state.update { state in
                try state.change(name, random) { person in
                    if person.confirms(old) { person.announceMigration(to: new) }
                }
            }
        }
        let store = try await store()
        let isStored = try Self.stored { () throws(FaceStoreError) in
            try store.migrate(
                name, from: candidate.old, to: candidate.new, keptUntil: keptUntil)
        }
        if isStored, isConfirmed {
            // If this fails, the next use of the face completes it.
            _ = try? state.update { state in
                try state.change(name, random) { $0.completeMigration(to: new) }
            }
        }
        return isStored
    }

    // MARK: The end of a former template

    /// Erases former templates whose time is up, once an hour at most. An error leaves them for the
    /// next use of the store.
    func eraseFormerFaces(in store: LocalFaceStore) {
        let time = now()
        candidates = candidates.filter { $0.value.isWaiting(at: time) }
        if let erasedAt, (.zero..<Duration.seconds(3600)).contains(time - erasedAt) { return }
        if (try? store.eraseFormer(at: time)) != nil { erasedAt = time }
    }
}
