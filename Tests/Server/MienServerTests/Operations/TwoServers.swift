import Foundation
import MienAPI
import MienCore
import MienServer
import MienStore
import MienTesting
import MienVault

/// Two servers' stores on one database, which they take for one that servers share.
struct TwoServers {
    let scratch: ScratchFolder
    let a, b: Store
    let driver: SharedDriver
    let time = Locked(Instant.start)

    init() async throws {
        scratch = try ScratchFolder()
        let driver = SharedDriver(
            driver: try SQLiteDriver(path: scratch("mien.sqlite").path))
        self.driver = driver
        let keys = StoreKeys(MasterKey(bytes: Array(1...32)))
        a = try await Store(driver, keys: keys)
        b = try await Store(driver, keys: keys)
        try await a.write { tables in
            for id in [AppID.shop, .bank] {
                try tables.apps.insert(
                    AppRecord(
                        id: id, name: id.text, type: .public, settings: AppSettings(),
                        createdAt: .start))
            }
        }
    }

    var clock: ServerClock { ServerClock { [time] in time.withLock { $0 } } }

    func pass(_ duration: Duration) { time.withLock { $0 = $0 + duration } }
}

/// A database that says that others use it, too.
struct SharedDriver: SQLDriver {
    let driver: SQLiteDriver
    /// Whether what the servers announce arrives.
    let isDelivered = Locked(true)

    var dialect: SQLDialect { driver.dialect }
    var isShared: Bool { true }
    var waitingWrites: Int { driver.waitingWrites }
    var maxWaitingWrites: Int { driver.maxWaitingWrites }
    var reads: Int { driver.reads }
    var readers: Int { driver.readers }

    func write<Output: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output { try await driver.write(durability, body) }

    func read<Output: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Output)
        async throws -> Output
    { try await driver.read(body) }

    func changeSchema<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output { try await driver.changeSchema(body) }

    func notifications(_ channels: Set<StoreChannel>) -> AsyncStream<StoreNotification> {
        isDelivered.withLock { $0 } ? driver.notifications(channels) : AsyncStream { _ in }
    }

    func close() throws { try driver.close() }
}

extension Instant {
    static let start = Instant(milliseconds: 1_700_000_000_000)
}

extension AppID {
    static let shop = AppID("app_shop")!, bank = AppID("app_bank")!
}

/// Waits until `body` is true.
func comesToHold(_ body: () async throws -> Bool) async throws -> Bool {
    try await Patience.holds(body)
}
