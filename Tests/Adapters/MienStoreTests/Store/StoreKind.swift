import Foundation
import MienAPI
import MienCore
import MienServerTesting
import MienStore
import MienTesting
import MienVault
import Synchronization
import Testing

/// The databases that the contract tests run on. A new database is added only here.
enum StoreKind: String, CaseIterable, Sendable {
    case sqlite
    case postgres

    /// PostgreSQL only where it is installed.
    static var allCases: [StoreKind] {
        PostgresCluster.isInstalled ? [.sqlite, .postgres] : [.sqlite]
    }

    /// Returns a driver for the database in `folder`, the same one each time.
    ///
    /// - Parameter hasSchema: Whether a new database may have the newest schema, which is quicker.
    func driver(in folder: ScratchFolder, hasSchema: Bool = false) async throws -> any SQLDriver {
        switch self {
        case .sqlite: try SQLiteDriver(path: folder("mien.sqlite").path)
        case .postgres: try await PostgresTestDatabases.driver(for: folder, hasSchema: hasSchema)
        }
    }

    /// Returns a literal for bytes in hexadecimal digits.
    func bytes(_ digits: String) -> String {
        switch self {
        case .sqlite: "x'\(digits)'"
        case .postgres: "'\\x\(digits)'::bytea"
        }
    }

    func close(_ driver: any SQLDriver) throws { try driver.close() }

    /// Returns every byte that the database stores; `nil` if its files are elsewhere.
    func bytes(in folder: ScratchFolder) throws -> [UInt8]? {
        switch self {
        case .sqlite:
            try folder.names().filter { $0.hasPrefix("mien.sqlite") && !$0.hasSuffix("-shm") }
                .flatMap { try Data(contentsOf: folder($0)) }
        case .postgres: nil
        }
    }
}

/// The databases of the cluster, each of which belongs to a folder.
enum PostgresTestDatabases {
    private static let names = Mutex<[URL: String]>([:])

    static func driver(for folder: ScratchFolder, hasSchema: Bool = false) async throws
        -> PostgresDriver
    {
        let cluster = try await PostgresCluster.shared()
        let name: String
        if let known = names.withLock({ $0[folder.url] }) {
            name = known
        } else {
            let copied = hasSchema ? try await template.value : nil
            name = try await cluster.database(for: folder, template: copied)
            names.withLock { $0[folder.url] = name }
        }
        return try await PostgresDriver(
            PostgresSettings(cluster.url(name), connections: 4))
    }

    /// A database with the newest schema, which others are copied from.
    private static let template = Task {
        let cluster = try await PostgresCluster.shared(), owner = try ScratchFolder()
        let name = try await cluster.database(for: owner)
        let driver = try await PostgresDriver(PostgresSettings(cluster.url(name), connections: 3))
        _ = try await Store(driver, keys: TestStore.keys)
        // Some copies belong to servers with another master key.
        try await driver.write(.always) { _ = try $0.execute("DELETE FROM master_key", []) }
        driver.close()
        // PostgreSQL copies only what nobody uses.
        try await cluster.sql(
            "ALTER DATABASE \(name) ALLOW_CONNECTIONS false; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'"
        )
        owners.withLock { $0.append(owner) }
        return name
    }
    private static let owners = Mutex<[ScratchFolder]>([])
}

/// A separate store for one test.
struct TestStore {
    let kind: StoreKind
    let folder: ScratchFolder
    let driver: any SQLDriver
    let store: Store

    static let keys = StoreKeys(MasterKey(bytes: Array(1...32)))

    init(_ kind: StoreKind, in folder: ScratchFolder? = nil, keys: StoreKeys = keys) async throws {
        self.kind = kind
        self.folder = try folder ?? ScratchFolder()
        driver = try await kind.driver(in: self.folder, hasSchema: true)
        store = try await Store(driver, keys: keys)
    }

    /// Closes and reopens the same database.
    func reopened() async throws -> TestStore {
        try kind.close(driver)
        return try await TestStore(kind, in: folder)
    }

    /// Executes SQL directly, bypassing the repositories.
    @discardableResult
    func sql(_ statement: String, _ values: SQLValue...) async throws -> Int {
        try await driver.write(.always) { try $0.execute(statement, values) }
    }

    func rows(_ statement: String, _ values: SQLValue...) async throws -> [SQLRow] {
        try await driver.read { try $0.rows(statement, values) }
    }

    func count(_ table: String) async throws -> Int {
        Int(try await rows("SELECT COUNT(*) FROM \(table)")[0].integer(0))
    }

    /// Inserts an account with a user name.
    func account(_ name: String, at time: Instant = .start) async throws -> AccountRecord {
        let account = AccountRecord.new(
            UserID("usr_\(name)")!, AccountProfile(username: name), keys: store.keys, at: time)
        let names = [try LoginName(name, kind: .username)]
        try await store.write { try $0.accounts.insert(account, names: names) }
        return account.record
    }

    /// Inserts an app.
    func app(_ id: AppID) async throws {
        let record = AppRecord(
            id: id, name: id.text, type: .public, settings: AppSettings(), createdAt: .start)
        try await store.write { try $0.apps.insert(record) }
    }

    /// Inserts a known device.
    func device(
        _ name: String, of account: UserID, earned: [LockSubject] = [], at time: Instant = .start
    ) async throws -> DeviceID {
        let id = DeviceID("dev_\(name)")!,
            device = KnownDevice(id: id, account: account, app: .shop), hash = Array(name.utf8)
        try await store.write {
            try $0.devices.insert(device, tokenHash: hash, earned: earned, at: time)
        }
        return id
    }

    /// Inserts an authenticator of `account`.
    func authenticator(
        _ id: String, _ type: AuthenticatorType = .face, of account: AccountRecord,
        app: AppID? = .shop, content: [UInt8] = [1, 2, 3]
    ) async throws -> AuthenticatorRecord {
        let record = AuthenticatorRecord(
            id: AuthenticatorID("aut_\(id)")!, account: account.id, type: type, app: app,
            content: content, info: ["photos": 1], createdAt: .start)
        try await store.write { try $0.authenticators.insert(record, of: account) }
        return record
    }
}

extension Instant {
    static let start = Instant(milliseconds: 1_700_000_000_000)
}

extension AppID {
    static let shop = AppID("app_shop")!, bank = AppID("app_bank")!
}

extension Sensitive {
    /// The value. Test data need not be hidden.
    var shown: Value { use { $0 } }
}

/// - Returns: the code of the store error that `body` throws; `nil` if it throws none.
func refusal(_ body: () async throws -> Void) async -> StoreError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? StoreError)?.code
    }
}

extension LockTable {
    /// Writes counts, whatever they were.
    func setCounts(_ lock: AuthenticatorLock, of subject: LockSubject, device: DeviceID?) throws {
        let holder = AuthenticatorRecord(
            id: AuthenticatorID("aut_none")!, account: subject.account, type: subject.method,
            app: subject.app, content: [], createdAt: .start)
        _ = try change(holder, device: device) { $0 = lock }
    }
}
