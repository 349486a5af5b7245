internal import Foundation
package import Logging
internal import MienCore
package import MienStore
internal import ServiceLifecycle

/// Announces this server in the database that servers share, with its address, if it takes requests of
/// the others (``Cluster``), and how far it is with the master keys.
///
/// By itself, it passes no requests about live captures on.
package final class Presence: CapturePeers, Service {
    /// The interval at which a server reports that it is alive.
    static let pause = Duration.seconds(5)
    /// A server that was silent for so long is taken for dead.
    package static let patience = Duration.seconds(15)

    package let name: String
    /// The machine and the process, for operators.
    package static let host =
        "\(ProcessInfo.processInfo.hostName) (process \(ProcessInfo.processInfo.processIdentifier))"

    private let address: String
    private let holdsFaces: Bool
    private let store: Store
    private let clock: ServerClock
    private let logger: Logger
    private let keys = Locked<ServerKeyReport?>(nil)

    /// - Parameters:
    ///   - name: The name of this process.
    ///   - address: Where it takes requests of the others; empty if it takes none.
    ///   - holdsFaces: Whether the others may let it search faces in its memory.
    package init(
        name: String, at address: String = "", holdsFaces: Bool = false, store: Store,
        clock: ServerClock, logger: Logger
    ) {
        (self.name, self.address, self.holdsFaces) = (name, address, holdsFaces)
        (self.store, self.clock, self.logger) = (store, clock, logger)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.announce()
                try? await Task.sleep(for: Self.pause)
            }
        }
        try? await store.write(.process) { [name] in try $0.servers.remove(name) }
    }

    /// Reports that this server is alive.
    package func announce() async {
        let now = clock.now, keys = keys.withLock { $0 }
        do {
            try await store.write(.process) { [name, address, holdsFaces] in
                try $0.servers.announce(
                    name, at: address, host: Self.host, keys: keys, holdsFaces: holdsFaces,
                    seen: now)
            }
        } catch {
            logger.error(
                "the other servers could not be told that this one lives; retrying",
                metadata: ["error.type": "\(type(of: error))"])
        }
    }

    /// Reports this server's progress with the master keys, at once if it has changed.
    ///
    /// - Throws: ``StoreError``; then it says so with its next sign of life.
    func report(_ report: ServerKeyReport) async throws {
        guard keys.withLock({ $0 != report }) else { return }
        let now = clock.now
        keys.withLock { $0 = report }
        do {
            try await store.write(.process) { [name, address, holdsFaces] in
                try $0.servers.announce(
                    name, at: address, host: Self.host, keys: report, holdsFaces: holdsFaces,
                    seen: now)
                try $0.masterKeyTable.tell()
            }
        } catch {
            keys.withLock { if $0 == report { $0 = nil } }
            throw error
        }
    }

    /// Sets what the first sign of life says about the master keys.
    func begin(_ report: ServerKeyReport) { keys.withLock { $0 = report } }

    package func isAlive(_ server: String) async throws -> Bool {
        try await address(of: server) != nil
    }

    /// The address of a server that lives; `nil` if it was silent for too long.
    func address(of server: String) async throws -> String? {
        let since = clock.now - Self.patience
        return try await store.read { try $0.servers.address(of: server, seenSince: since) }
    }

    /// The servers that live and hold faces in memory.
    func holdingFaces() async throws -> [String] {
        let since = clock.now - Self.patience
        return try await store.read { try $0.servers.holdingFaces(seenSince: since) }
    }

    package func pass(_ request: PassedRequest, to server: String) async throws -> PassedAnswer {
        throw ServerBusy()
    }
}
