internal import Logging
internal import MienAPI
internal import MienCore
internal import MienFace
internal import MienIdentity
internal import MienStore
internal import ServiceLifecycle

/// Compares registered faces with the app's others, one after the other and behind the responses,
/// and opens cases about probable duplicates.
///
/// The queue is in the store, written with the face, so a crash loses no search. Users never learn of
/// a search or its result.
package struct DuplicateFaceSearch: Service, NamedByType {
    /// The most cases of one search. More faces that look alike say something about the threshold,
    /// not about the person.
    private static let maxCases = 10
    /// The lease under which one of the servers that share a database searches. If a search takes
    /// longer than this, another server may do it, too; the first one that ends takes the face off
    /// the queue.
    static let lease = "duplicate-faces"
    private static let leaseTime = Duration.seconds(600)

    let store: Store
    /// The name of this process.
    let holder: String
    let faces: FaceService
    let galleries: GallerySearch
    let needsSecondReviewer: Bool
    let clock: ServerClock
    let metrics: Metrics
    let logger: Logger

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    // Wait only when nothing is queued.
                    if try await searchNext() { continue }
                } catch is CancellationError {
                    return
                } catch {
                    logger.error(
                        "a search for duplicate faces failed; retrying",
                        metadata: ["error.type": "\(type(of: error))"])
                }
                try? await Task.sleep(for: .seconds(1))
            }
        }
        // The other servers need not wait for its end.
        guard store.isShared else { return }
        try? await store.write(.process) { [holder] in
            try $0.leases.release(Self.lease, of: holder)
        }
    }

    /// Searches the duplicates of the face that waits longest.
    ///
    /// - Returns: whether one waited.
    package func searchNext() async throws -> Bool {
        guard let search = try await store.read({ try $0.duplicateSearches.next() }) else {
            return false
        }
        if store.isShared {
            let lease = try await store.takeLease(
                Self.lease, for: holder, at: clock.now, lasting: Self.leaseTime)
            guard lease != nil else { return false }
        }
        let found: [Match], damaged: Int
        do { (found, damaged) = try await matches(of: search) } catch {
            let code = (error as? StoreError)?.code
            // Retry only after these errors, which may pass. Retrying after others would keep the
            // other faces waiting.
            if error is CancellationError || code == .busy || code == .unreachable { throw error }
            logger.error(
                "a face could not be searched for duplicates",
                metadata: ["error.type": "\(type(of: error))"])
            try await finish(search, with: [], "failed")
            return true
        }
        if damaged > 0 {
            logger.error(
                "stored faces could not be read, and were not searched for duplicates; their users have to register again",
                metadata: ["faces": "\(damaged)"])
        }
        metrics.set(.damagedRecords, to: Double(damaged), ["kind": "face"])
        try await finish(search, with: found, found.isEmpty ? "none" : "found")
        return true
    }

    private struct Match: Sendable {
        let face: AuthenticatorID
        let account: UserID
        let score: MatchScore
    }

    /// - Returns: The faces that look alike, and the number of those that could not be read.
    private func matches(of search: DuplicateSearch) async throws -> (
        found: [Match], damaged: Int
    ) {
        let (settings, template, spaces) = try await store.read { tables in
            let settings = try tables.apps.find(search.app)?.settings.duplicateFaces
            let account = try tables.accounts.find(search.account)
            let face = try account.flatMap {
                try tables.authenticators.find(search.authenticator, of: $0)
            }
            return (
                settings, try face?.content.use { try Self.template($0) },
                try [search.app]
                    + [tables.faceGroups.group(of: search.app)?.id.space].compactMap { $0 }
            )
        }
        guard let settings, let template, template.packID == faces.packID else { return ([], 0) }
        let probe = try faces.matcher.reference(for: template)
        var found: [Match] = [], damaged = 0
        for space in spaces {
            let (more, unreadable) = try await matches(
                of: search, like: probe, template.packID, in: space, above: settings.threshold)
            found += more
            damaged += unreadable
        }
        let best = found.filter { $0.account != search.account }.sorted {
            ($1.score, $0.face) < ($0.score, $1.face)
        }
        return (Array(best.prefix(Self.maxCases)), damaged)
    }

    /// - Parameter space: The app, or the group of apps that it shares faces with. Shared faces are
    ///   compared if their people agreed to share them with the app.
    private func matches(
        of search: DuplicateSearch, like probe: Reference, _ pack: PackID, in space: AppID,
        above threshold: MatchScore
    ) async throws -> ([Match], damaged: Int) {
        let own = try await store.read {
            try $0.galleries.faces(of: search.account, in: space)
        }
        // Ask for a few more than are needed: faces that the account registers meanwhile may be
        // among them, and are left out. Of shared faces, ask for all: others may not be compared.
        let answer = try await galleries.search(
            GalleryQuery(
                app: space, pack: pack, probe: probe,
                limit: space.isFaceGroup ? GalleryQuery.maxLimit : Self.maxCases + 4,
                threshold: threshold, except: Array(own.prefix(GalleryQuery.maxExceptions))))
        let found = try await store.read { tables in
            try answer.candidates.compactMap { candidate -> Match? in
                guard let owner = try tables.galleries.owner(of: candidate.face),
                    try tables.mayUse([candidate.face], of: owner, in: search.app)
                else { return nil }
                return Match(
                    face: candidate.face, account: owner, score: galleries.score(of: candidate))
            }
        }
        return (found, answer.damaged)
    }

    private static func template(_ bytes: [UInt8]) throws(StoreError) -> FaceTemplate {
        do { return try FaceTemplate(bytes: bytes) } catch {
            throw StoreError(.corrupt, "a stored face template is malformed")
        }
    }

    /// Opens the cases and takes the search off the queue, in one transaction.
    private func finish(_ search: DuplicateSearch, with found: [Match], _ result: String)
        async throws
    {
        let now = clock.now, needsSecond = needsSecondReviewer
        let opened = try await store.write { tables -> Int in
            // One of the faces was removed meanwhile, so there is nothing to report.
            guard try tables.duplicateSearches.delete(search.authenticator) else { return 0 }
            var generator = SystemRandomNumberGenerator(), opened = 0
            for match in found
            where try tables.authenticators.exists(match.face, of: match.account) {
                let record = DuplicateCaseRecord(
                    duplicate: DuplicateCase(
                        id: .random(using: &generator), needsSecondReviewer: needsSecond),
                    app: search.app, account: search.account, other: match.account,
                    score: match.score, openedAt: now)
                guard try tables.duplicateCases.insert(record) else { continue }
                opened += 1
                // Do not name the accounts, because users can read the log's entries about their
                // own.
                try tables.audit.append(
                    AuditEvent(
                        "face.duplicate-reported", actor: "system", app: search.app,
                        detail: ["case": .string(record.duplicate.id.text)]), at: now)
            }
            return opened
        }
        metrics.count(.duplicateSearches, ["result": result])
        for _ in 0..<opened { metrics.count(.duplicateCases, ["event": "opened"]) }
    }
}
