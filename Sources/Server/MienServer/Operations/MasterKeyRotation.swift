package import Logging
internal import MienAPI
internal import MienCore
package import MienStore
internal import MienVault
internal import ServiceLifecycle

/// Rotates the master key while servers run: stores a new key, which seals from then on, and seals in
/// the background what earlier keys sealed. An interrupted pass goes on after the next start, because
/// the earlier keys are still there.
///
/// A server with a database of its own rotates in one step. Servers that share a database do so in the
/// phases of ``MasterKeyPhases``.
package actor MasterKeyRotation: Service {
    /// Keys at once. More means that nobody removes those that are not needed.
    static let maxKeys = 8
    /// How long a rotation waits for the other servers before it answers that they are not ready.
    private static let patience = Duration.seconds(2)

    let store: Store
    /// The name of this process.
    let holder: String
    /// Reports this server's progress to the others; `nil` if there cannot be others.
    let presence: Presence?
    let clock: ServerClock
    let logger: Logger
    private let wakes: AsyncStream<Void>
    let wake: AsyncStream<Void>.Continuation
    /// Whether a pass runs here.
    var isSealing = false
    /// Whether this server follows the database at the moment, and whether it should do so once more.
    var isFollowing = false, followsAgain = false
    /// Why this server cannot go on: its keys do not open what the others seal.
    var tooOld: ServerStartError?
    /// The version under which this server sealed when it looked last.
    var lastActive: UInt32
    /// The fault that was logged last.
    var loggedFault = ""

    /// - Parameter holder: The name of this process.
    package init(
        store: Store, holder: String, presence: Presence?, clock: ServerClock, logger: Logger
    ) {
        (self.store, self.holder, self.presence) = (store, holder, presence)
        (self.clock, self.logger) = (clock, logger)
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        lastActive = store.keys.ring.active.version
        presence?.begin(ServerKeyReport(stored: store.keySource.newest, active: lastActive))
    }

    var ring: KeyRing { store.keys.ring }

    /// Seals again what is to be sealed, until the server stops.
    ///
    /// - Throws: ``ServerStartError`` `.key` if other servers seal under a key that this one cannot get.
    package func run() async throws {
        if !store.isShared, ring.keys.count > 1 { wake.yield() }
        await cancelWhenGracefulShutdown { [self] in await work() }
        if let tooOld { throw tooOld }
    }

    private func work() async {
        for await _ in wakes {
            if tooOld != nil { return }
            await sealAgain()
        }
    }

    /// Adds a key and begins to seal under it, once every living server has it.
    ///
    /// - Throws: ``Problem`` `.conflict` while records still need an earlier rotation's pass, or a
    ///   rotation is being prepared.
    func rotate(by actor: String) async throws -> MasterKeysAnswer {
        if store.isShared {
            try await prepare(by: actor)
            let end = ContinuousClock.now + Self.patience
            repeat {
                try await follow()
                let answer = try await status()
                if answer.next == nil || ContinuousClock.now > end { return answer }
                try await Task.sleep(for: .milliseconds(20))
            } while true
        }
        guard ring.keys.count < Self.maxKeys else { throw Self.tooMany }
        guard !isSealing else { throw Self.sealing }
        // No suspension point from here until the new key is in use, so that no other call runs in
        // between.
        let next = ring.rotated()
        try keep(next)
        ring.adopt(next)
        isSealing = true
        wake.yield()
        try await note("master-key.rotated", version: next.active.version, by: actor)
        return try await status()
    }

    static var tooMany: Problem {
        Problem(.conflict, "There are \(maxKeys) keys. Remove those without records first.")
    }

    static var sealing: Problem {
        Problem(.conflict, "Records are still being sealed under the key in use. Try again later.")
    }

    /// Removes a key that no record needs, or cancels the preparation of a new one.
    func remove(version: UInt32, by actor: String) async throws {
        if store.isShared { return try await removeShared(version, by: actor) }
        guard ring.keys.contains(where: { $0.version == version }) else { throw Self.unknown }
        // Count in the writer, so that no other write is in progress.
        let used = try await store.write { try $0.masterKeys.counts() }
        guard let key = ring.keys.first(where: { $0.version == version }) else {
            throw Self.unknown
        }
        guard key.name != ring.active.name else { throw Self.inUse }
        if let count = used[key.name], count > 0 {
            wake.yield()
            throw Self.needed(count)
        }
        let rest = ring.without(version: version)
        try keep(rest)
        ring.adopt(rest)
        try await note("master-key.removed", version: version, by: actor)
    }

    static var unknown: Problem { Problem(.notFound, "There is no such key.") }
    static var inUse: Problem { Problem(.conflict, "The key is in use. Rotate first.") }

    static func needed(_ count: Int) -> Problem {
        Problem(.conflict, "\(count) records still need the key. Try again later.")
    }

    /// Stores keys. A token that wraps them may be absent or locked.
    ///
    /// - Throws: ``Problem`` `.unavailable`, in which case the stored keys are those before.
    private func keep(_ keys: KeyRing) throws {
        do throws(KeyFileError) { try store.keySource.store(keys) } catch {
            logger.error(
                "the master keys could not be stored; those before remain in use",
                metadata: ["key.reason": "\(error)"])
            throw Problem(
                .unavailable,
                "The keys could not be stored; those before remain in use. The server's log says why."
            )
        }
    }

    func status() async throws -> MasterKeysAnswer {
        if store.isShared { return try await sharedStatus() }
        let counts = try await store.read { try $0.masterKeys.counts() }, active = ring.active.name
        return MasterKeysAnswer(
            keys: ring.keys.map {
                MasterKeyAnswer(
                    version: Int($0.version), id: hexadecimal($0.id),
                    records: counts[$0.name, default: 0], isActive: $0.name == active)
            }, isSealing: isSealing)
    }

    private func note(_ event: String, version: UInt32, by actor: String) async throws {
        let now = clock.now
        try await store.write {
            try $0.audit.append(.masterKey(event, version, by: actor), at: now)
        }
    }
}

extension AuditEvent {
    static func masterKey(_ event: String, _ version: UInt32, by actor: String) -> AuditEvent {
        AuditEvent(event, actor: actor, detail: ["version": .number(Double(version))])
    }
}
