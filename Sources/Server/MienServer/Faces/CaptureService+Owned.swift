internal import MienAPI
package import MienCore
internal import MienJourney
package import MienStore

/// Captures outside of journeys, which belong to an owner instead of a run.
extension CaptureService {
    /// Opens a capture that must show a live person.
    ///
    /// - Parameters:
    ///   - owner: A text that names the owner.
    ///   - user: The user, if one is signed in.
    ///   - admission: Checks in the same transaction whether the capture may begin.
    package func openLive(
        for owner: String, user: UserID?, app: AppRecord,
        admission: @escaping @Sendable (Tables) throws -> Void
    ) async throws -> (id: CaptureID, startToken: String, expiresAt: Instant) {
        // As strict as a sign-in, but no guess of a user's enrolled face: nothing is compared with
        // that.
        let request = CaptureRequest(
            purpose: .authentication, liveness: LivenessPolicy(mode: .livenessPassive))
        let (id, token) = try await open(
            request,
            for: CaptureOrigin(run: run(of: owner), app: app, device: nil, signedIn: user),
            admission: admission)
        let record = try await session(token)
        return (id, token, record.expiresAt)
    }

    /// Uses up a live capture that passed, so that it counts once.
    ///
    /// - Returns: Its template's bytes; `nil` unless a capture of this owner passed in this app.
    package func takeLive(_ token: String, for owner: String, app: AppRecord) async throws
        -> [UInt8]?
    {
        let record: CaptureRecord
        do { record = try await session(token) } catch is Problem { return nil }
        guard record.run == run(of: owner), record.app == app.id, record.state == .passed else {
            return nil
        }
        let content = try Self.opened(record)
        guard content.rules.mode != .image, let template = content.template else { return nil }
        var used = record
        used.state = .cancelled
        do {
            try await store.write { [used] tables in
                // Fails if another request used it meanwhile.
                try tables.captures.update(used, from: record.frames)
                try tables.captures.delete(record.id)
            }
        } catch let error as StoreError where error.code == .stale { return nil }
        return Base64URL.decode(template)
    }

    /// Ends the captures of an owner. Frames that arrive later find none.
    package func removeLive(of owner: String, in tables: Tables) throws {
        try tables.captures.delete(of: run(of: owner))
    }

    /// An identifier of the owner, in place of that of a run. No run has it, because it is keyed.
    private func run(of owner: String) -> InstanceID {
        let hash = store.keys.hash(ofSecret: Array("owned capture \(owner)".utf8))
        // Letters that identifiers may have.
        return InstanceID("own_" + Base64URL.encode(hash.prefix(24)))!
    }
}
