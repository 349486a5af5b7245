package import Logging
internal import MienAPI
internal import MienCore
package import MienSealing
package import MienServerCore
package import MienStore
internal import ServiceLifecycle

/// Rotates the master key while the server runs: stores a new key, which seals from then on, and
/// seals in the background what earlier keys sealed. An interrupted pass goes on after the next
/// start, because the earlier keys are still there.
package actor MasterKeyRotation: Service {
    /// Records that one transaction looks at, so that no other write waits long.
    private static let batch = 200
    private static let pause = Duration.milliseconds(10)
    private static let retry = Duration.seconds(60)
    /// Keys at once. More means that nobody removes those that are not needed.
    private static let maxKeys = 8

    private let store: Store
    /// The name of this process.
    private let holder: String
    private let persist: @Sendable (KeyRing) throws -> Void
    private let clock: ServerClock
    private let logger: Logger
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation
    private var isSealing = false

    /// - Parameter persist: Stores keys durably, before they are used.
    package init(
        store: Store, holder: String, persist: @escaping @Sendable (KeyRing) throws -> Void,
        clock: ServerClock, logger: Logger
    ) {
        self.holder = holder
        (self.store, self.persist, self.clock, self.logger) = (store, persist, clock, logger)
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    private var ring: KeyRing { store.keys.ring }

    package func run() async throws {
        if ring.keys.count > 1 { wake.yield() }
        await cancelWhenGracefulShutdown { [self] in
            for await _ in wakes { await sealAgain() }
        }
    }

    /// Adds a key and begins to seal under it.
    ///
    /// - Throws: ``Problem`` `.conflict` while records still need an earlier rotation's pass, or
    ///   another server uses the database: it would not have the new key.
    func rotate(by actor: String) async throws -> MasterKeysAnswer {
        guard ring.keys.count < Self.maxKeys else {
            throw Problem(
                .conflict, "There are \(Self.maxKeys) keys. Remove those without records first.")
        }
        try await requireAlone()
        let before = try await status()
        guard !before.isSealing else {
            throw Problem(
                .conflict, "Records are still being sealed under the key in use. Try again later.")
        }
        // After waiting for the store, only this remains, without another suspension.
        let next = ring.rotated()
        try keep(next)
        ring.adopt(next)
        isSealing = true
        wake.yield()
        try await note("master-key.rotated", version: next.active.version, by: actor)
        return try await status()
    }

    /// Removes a key that no record needs.
    func remove(version: UInt32, by actor: String) async throws {
        guard ring.keys.contains(where: { $0.version == version }) else {
            throw Problem(.notFound, "There is no such key.")
        }
        try await requireAlone()
        // In the writer, so that no write is under way.
        let used = try await store.write { try $0.masterKeys.counts() }
        guard let key = ring.keys.first(where: { $0.version == version }) else {
            throw Problem(.notFound, "There is no such key.")
        }
        guard key.name != ring.active.name else {
            throw Problem(.conflict, "The key is in use. Rotate first.")
        }
        guard used[key.name, default: 0] == 0 else {
            throw Problem(
                .conflict,
                "\(used[key.name, default: 0]) records still need the key. Try again later.")
        }
        let rest = ring.without(version: version)
        try keep(rest)
        ring.adopt(rest)
        try await note("master-key.removed", version: version, by: actor)
    }

    /// - Throws: ``Problem`` `.conflict` while another server uses the database: it would not have a
    ///   new key, and may still seal under a removed one.
    private func requireAlone() async throws {
        guard try await !store.hasOtherServers(than: holder, at: clock.now) else {
            throw Problem(
                .conflict,
                "Another server uses the database, and has its own copy of the keys. Stop the others, change the keys, and copy them to the others before they start."
            )
        }
    }

    /// Stores keys. A token that wraps them may be absent or locked.
    ///
    /// - Throws: ``Problem`` `.unavailable`, in which case the stored keys are those before.
    private func keep(_ keys: KeyRing) throws {
        do { try persist(keys) } catch {
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
        let counts = try await store.read { try $0.masterKeys.counts() }, active = ring.active.name
        return MasterKeysAnswer(
            keys: ring.keys.map {
                MasterKeyAnswer(
                    version: Int($0.version), id: hexadecimal($0.id),
                    records: counts[$0.name, default: 0], isActive: $0.name == active)
            }, isSealing: isSealing)
    }

    private func sealAgain() async {
        isSealing = true
        defer { isSealing = false }
        var position = MasterKeyUse.Position(), sealed = 0
        while !position.isAtEnd, !Task.isCancelled {
            do {
                let from = position
                let (next, count) = try await store.write {
                    var position = from
                    let count = try $0.masterKeys.reseal(from: &position, atMost: Self.batch)
                    return (position, count)
                }
                (position, sealed) = (next, sealed + count)
                if count > 0 { try await Task.sleep(for: Self.pause) }
            } catch is CancellationError { return } catch {
                logger.error(
                    "sealing under the new master key failed; retrying in a minute",
                    metadata: ["error.type": "\(type(of: error))"])
                try? await Task.sleep(for: Self.retry)
            }
        }
        guard position.isAtEnd, sealed > 0 else { return }
        logger.notice(
            "sealed all records under the master key in use",
            metadata: ["record.count": "\(sealed)", "key.version": "\(ring.active.version)"])
        try? await note("master-key.sealed", version: ring.active.version, by: "system")
    }

    private func note(_ event: String, version: UInt32, by actor: String) async throws {
        let now = clock.now
        try await store.write {
            try $0.audit.append(
                AuditEvent(event, actor: actor, detail: ["version": .number(Double(version))]),
                at: now)
        }
    }
}
