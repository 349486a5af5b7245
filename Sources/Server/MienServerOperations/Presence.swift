package import Logging
package import MienCore
package import MienServerCore
package import MienServerFaces
package import MienStore
internal import ServiceLifecycle

/// Announces this server in a database that servers share, if no ``Cluster`` does. Without one,
/// requests about live captures of other servers cannot be passed on.
package struct Presence: CapturePeers, Service {
    /// How often a server says that it lives.
    static let pause = Duration.seconds(5)
    /// A server that was silent for so long is taken for dead.
    package static let patience = Duration.seconds(15)

    package let name: String
    private let store: Store
    private let clock: ServerClock
    private let logger: Logger

    /// - Parameter name: The name of this process.
    package init(name: String, store: Store, clock: ServerClock, logger: Logger) {
        (self.name, self.store, self.clock, self.logger) = (name, store, clock, logger)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await store.announce(name, at: "", clock: clock, logger: logger)
                try? await Task.sleep(for: Self.pause)
            }
        }
        try? await store.write(.process) { [name] in try $0.servers.remove(name) }
    }

    package func isAlive(_ server: String) async throws -> Bool {
        let since = clock.now - Self.patience
        return try await store.read { try $0.servers.address(of: server, seenSince: since) } != nil
    }

    package func pass(_ request: PassedRequest, to server: String) async throws -> PassedAnswer {
        throw ServerBusy()
    }
}

extension Store {
    /// Says that a server lives.
    ///
    /// - Parameter address: Where it takes requests of the others; empty if it takes none.
    func announce(
        _ name: String, at address: String, holdsFaces: Bool = false, clock: ServerClock,
        logger: Logger
    ) async {
        let now = clock.now
        do {
            try await write(.process) {
                try $0.servers.announce(name, at: address, holdsFaces: holdsFaces, seen: now)
            }
        } catch {
            logger.error(
                "the other servers could not be told that this one lives; retrying",
                metadata: ["error.type": "\(type(of: error))"])
        }
    }

    /// Whether a server other than `name` uses the database.
    package func hasOtherServers(than name: String, at now: Instant) async throws -> Bool {
        guard isShared else { return false }
        return try await read {
            try $0.servers.hasOthers(than: name, seenSince: now - Presence.patience)
        }
    }
}
