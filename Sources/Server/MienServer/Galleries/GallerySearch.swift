internal import Logging
package import MienCore
internal import MienFace
internal import MienStore
internal import ServiceLifecycle

/// Searches all faces of an app: in the memory of the servers that hold its parts, and in the store
/// what none of them answers for.
///
/// So an answer is always complete. It covers every face that was committed before the search began.
package struct GallerySearch: Service, NamedByType {
    /// How often changes are looked for, in case a notification was lost.
    private static let pause = Duration.seconds(5)

    let store: Store
    package let worker: GalleryWorker
    /// The other servers; `nil` if this one is alone, or reaches no other.
    let peers: (any GalleryPeers)?
    /// The time that another server may take for a search.
    var patience = Duration.seconds(10)
    /// A server that did not answer gets no parts for so long.
    var rest = Duration.seconds(30)
    let logger: Logger
    private let failedAt = Locked<[String: ContinuousClock.Instant]>([:])

    /// - Parameter query: Of the model pack in use.
    /// - Throws: ``StoreError``; `CancellationError`.
    package func search(_ query: GalleryQuery) async throws -> GalleryAnswer {
        let holders = try await holders(of: query.app)
        var found = await withTaskGroup(of: GalleryAnswer.self) { tasks in
            for (server, parts) in holders {
                tasks.addTask { await answer(query, parts, of: server) }
            }
            return await tasks.reduce(into: GalleryAnswer()) { $0.merge($1, limit: query.limit) }
        }
        try Task.checkCancellation()
        let missing = Set(GalleryPart.all).subtracting(found.parts)
        for span in GalleryPart.spans(of: missing) {
            found.merge(try await worker.stored(query, in: span), limit: query.limit)
        }
        found.parts.formUnion(missing)
        return found
    }

    /// The score of a candidate.
    package func score(of candidate: GalleryAnswer.Candidate) -> MatchScore {
        worker.matcher.calibration.matchScore(of: Double(candidate.normalizedScore))
    }

    // MARK: Servers

    private var ownName: String { peers?.name ?? "" }

    /// The parts of each server, `ownName` for this one.
    private func holders(of app: AppID) async throws -> [String: Set<GalleryPart>] {
        let now = ContinuousClock.now
        var servers = Set(try await peers?.galleryServers() ?? [])
        failedAt.withLock { failures in
            failures = failures.filter { now - $0.value < rest }
            servers.subtract(failures.keys)
        }
        if worker.memoryBytes > 0 { servers.insert(ownName) }
        var holders: [String: Set<GalleryPart>] = [:]
        for part in GalleryPart.all {
            if let server = part.holder(app: app, among: servers) {
                holders[server, default: []].insert(part)
            }
        }
        return holders
    }

    private func answer(_ query: GalleryQuery, _ parts: Set<GalleryPart>, of server: String) async
        -> GalleryAnswer
    {
        do {
            if server == ownName {
                return try await worker.search(query, in: parts, loading: .first)
            }
            guard let peers else { return GalleryAnswer() }
            let bytes = try await peers.searchGallery(
                GalleryMessage.bytes(of: query, parts: parts), on: server, within: patience)
            guard let answer = GalleryMessage.answer(bytes), answer.parts.isSubset(of: parts) else {
                throw ServerBusy()
            }
            return answer
        } catch {
            if !(error is CancellationError), !Task.isCancelled {
                if server != ownName { failedAt.withLock { $0[server] = .now } }
                logger.warning(
                    "faces that a server has in memory could not be searched there; the database is searched instead",
                    metadata: [
                        "server.is-own": "\(server == ownName)",
                        "error.type": "\(type(of: error))",
                    ])
            }
            return GalleryAnswer()
        }
    }

    // MARK: Changes

    /// Keeps what is in memory up to date, so that removed faces leave it within seconds.
    package func run() async throws {
        guard worker.memoryBytes > 0 else { return try await gracefulShutdown() }
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { tasks in
                tasks.addTask {
                    await worker.loadWanted { log("faces could not be loaded into memory", $0) }
                }
                tasks.addTask {
                    for await notification in store.notifications([.faces]) {
                        switch notification {
                        case .resynchronize: await refreshAll()
                        case .sent(_, let app): if let app = AppID(app) { await refresh(app) }
                        }
                    }
                }
                while !Task.isCancelled {
                    await refreshAll()
                    try? await Task.sleep(for: Self.pause)
                }
            }
        }
        await worker.clear()
    }

    private func refreshAll() async {
        for app in await worker.apps { await refresh(app) }
    }

    private func refresh(_ app: AppID) async {
        guard await worker.apps.contains(app) else { return }
        do {
            try await worker.refresh(app)
            await worker.keep(try await holders(of: app)[ownName] ?? [], of: app)
        } catch {
            log("changes of faces could not be read; retrying in seconds", error)
        }
    }

    private func log(_ words: String, _ error: any Error) {
        guard !(error is CancellationError) else { return }
        logger.error("\(words)", metadata: ["error.type": "\(type(of: error))"])
    }
}
