import Foundation
import Logging
import MienAPI
import MienCore
import MienStore
import MienTesting
import Synchronization

@testable import MienServer
@testable import MienVault

/// A database that fails at a chosen write of one server.
struct FailingDriver: SQLDriver {
    struct Fault {
        /// Counts down with each write.
        var writes: Int
        /// Whether the write is made before the server dies.
        let isCommitted: Bool
    }

    /// An action before each write of a server, called with the write's number.
    typealias Interlude = @Sendable (_ write: Int) async throws -> Void

    let driver: SharedDriver
    let fault: Locked<Fault?>
    let interlude = Locked<Interlude?>(nil)
    let writes = Locked(0)

    init(driver: SharedDriver, fault: Locked<Fault?>) {
        (self.driver, self.fault) = (driver, fault)
    }

    var dialect: SQLDialect { driver.dialect }
    var isShared: Bool { true }
    var waitingWrites: Int { driver.waitingWrites }
    var maxWaitingWrites: Int { driver.maxWaitingWrites }
    var reads: Int { driver.reads }
    var readers: Int { driver.readers }

    func write<Output: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        let number = writes.withLock { writes in
            writes += 1
            return writes
        }
        try await interlude.withLock { $0 }?(number)
        let due = fault.withLock { fault -> Fault? in
            fault?.writes -= 1
            return (fault?.writes ?? 1) <= 0 ? fault : nil
        }
        guard let due else { return try await driver.write(durability, body) }
        // Dead from its second refused write on.
        if due.isCommitted, due.writes == 0 { _ = try await driver.write(durability, body) }
        throw StoreError(.unreachable, "the server died")
    }

    func read<Output: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Output)
        async throws -> Output
    { try await driver.read(body) }

    func changeSchema<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output { try await driver.changeSchema(body) }

    func notifications(_ channels: Set<StoreChannel>) -> AsyncStream<StoreNotification> {
        driver.notifications(channels)
    }

    func close() throws {}
}

/// The parts of one server that rotate the master key, with a file of its own or a shared one.
struct RingServer {
    let name: String
    let file: KeyFile
    let store: Store
    let presence: Presence
    let rotation: MasterKeyRotation
    let fault: Locked<FailingDriver.Fault?>
    private let driver: FailingDriver
    private let clock: ServerClock

    /// Starts a server with what its file contains.
    ///
    /// - Throws: ``StoreError`` `.foreignKey` if the keys are too old.
    init(_ name: String, _ file: KeyFile, on rings: Rings) async throws {
        (self.name, self.file, clock) = (name, file, rings.clock)
        fault = Locked(nil)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let ring = try file.loadRing()!, source = MasterKeySource(file, containing: ring)
        driver = FailingDriver(driver: rings.driver, fault: fault)
        store = try await Store(driver, keys: StoreKeys(ring), source: source)
        presence = Presence(name: name, store: store, clock: rings.clock, logger: logger)
        rotation = MasterKeyRotation(
            store: store, holder: name, presence: presence, clock: rings.clock, logger: logger)
        await presence.announce()
    }

    var ring: KeyRing { store.keys.ring }

    /// Does something before the server's `number`th write from now on.
    ///
    /// - Returns: whether there was such a write during `body`.
    func interrupt(
        before number: Int, _ interruption: @escaping @Sendable () async throws -> Void,
        during body: () async throws -> Void
    ) async throws -> Bool {
        let first = driver.writes.withLock { $0 } + 1, isDone = Locked(false)
        let failure = Locked<(any Error)?>(nil)
        driver.interlude.withLock { interlude in
            interlude = { write in
                guard write == first + number - 1 else { return }
                isDone.withLock { $0 = true }
                do { try await interruption() } catch { failure.withLock { $0 = error } }
            }
        }
        defer { driver.interlude.withLock { $0 = nil } }
        try await body()
        if let error = failure.withLock({ $0 }) { throw error }
        return isDone.withLock { $0 }
    }

    var versions: [UInt32] { ring.keys.map(\.version) }
    /// The versions in the file.
    var stored: [UInt32] { get throws { try file.loadRing()!.keys.map(\.version) } }

    /// Does the work of a second: a sign of life, a look at the database, and perhaps a part of a pass.
    func live() async {
        await presence.announce()
        try? await rotation.follow()
        if (try? await rotation.duty()) == .pass { await rotation.sealAgain() }
    }

    /// Stores an account, which the key in use seals.
    func write(_ name: String) async throws {
        try await store.write { try insert(name, $0) }
    }

    func insert(_ name: String, _ tables: Tables) throws {
        let account = AccountRecord.new(
            UserID("usr_\(name)")!, AccountProfile(username: name), keys: store.keys, at: clock.now)
        try tables.accounts.insert(account, names: [LoginName(name, kind: .username)])
    }

    func canRead(_ names: String...) async -> Bool {
        for name in names {
            let found = try? await store.read { try $0.accounts.find(UserID("usr_\(name)")!) }
            guard found?.profile.use({ $0.username }) == name else { return false }
        }
        return true
    }
}

/// Several servers on one database, each with a file of master keys.
final class Rings: Sendable {
    let scratch: ScratchFolder
    let driver: SharedDriver
    let time = Locked(Instant.start)

    init() throws {
        scratch = try ScratchFolder()
        driver = SharedDriver(driver: try SQLiteDriver(path: scratch("mien.sqlite").path))
    }

    var clock: ServerClock { ServerClock { [time] in time.withLock { $0 } } }
    func pass(_ duration: Duration) { time.withLock { $0 = $0 + duration } }

    /// Longer than a server may be silent.
    func silence() { pass(Presence.patience + .seconds(1)) }

    /// A file with the first key.
    func file(_ name: String, _ wrapper: (any KeyWrapper)? = nil) throws -> KeyFile {
        let file = KeyFile(path: scratch("\(name)/master.key").path, wrapper: wrapper)
        try file.store(KeyRing(MasterKey(bytes: Array(1...32))))
        return file
    }

    func servers(_ names: String...) async throws -> [RingServer] {
        var servers: [RingServer] = []
        for name in names { servers.append(try await RingServer(name, try file(name), on: self)) }
        return servers
    }

    /// Lets servers live until nothing is to be done.
    func settle(_ servers: [RingServer]) async {
        for server in servers { await server.presence.announce() }
        for _ in 0..<8 {
            for server in servers { await server.live() }
            pass(.seconds(1))
        }
    }

    /// The number of entries about the master key, by event.
    func events(_ server: RingServer) async throws -> [String: Int] {
        let entries = try await server.store.read { try $0.audit.page(after: 0, count: 500) }
        return Dictionary(grouping: entries.map(\.event.event)) { $0 }.mapValues(\.count)
            .filter { $0.key.hasPrefix("master-key.") }
    }
}
