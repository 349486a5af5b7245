internal import GRDB

/// Facts about a database and its schema, which need no master key.
public struct StoreStatus: Sendable, Hashable {
    /// The database product with its version, such as `PostgreSQL 15.14`.
    public let product: String
    /// The newest migration step of this program that the database has; `nil` if it has no records.
    public let schema: String?
    /// The steps that this program would add.
    public let missing: [String]
    /// Steps of newer programs, beside which this one works.
    public let newer: [String]
    /// Steps of newer programs, because of which this one does not start.
    public let tooNew: [String]
    public let accounts: Int
    /// The number of the audit log's last entry.
    public let auditNumber: Int

    /// Reads the status of a database that servers may be using.
    ///
    /// - Throws: ``StoreError``; `.tooOld` for a database of a program from before the first version.
    public static func of(_ driver: any SQLDriver, product: String) async throws -> StoreStatus {
        try await driver.read { connection in
            let exists = try connection.row(
                "SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = 'schema_step'"
            )
            return try StoreStatus(connection, product, isEmpty: exists == nil)
        }
    }

    /// Reads the status of a database file that a server may be using.
    ///
    /// - Throws: ``StoreError``; `.tooOld` for a file of a program from before the first version.
    public static func of(file path: String) throws(StoreError) -> StoreStatus {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(Double(SQLiteDriver.busyMilliseconds) / 1000)
            return try DatabaseQueue(path: path, configuration: configuration).read { database in
                let connection = SQLiteConnection(database)
                let version = try connection.row("SELECT sqlite_version()")?.text(0) ?? ""
                let exists = try connection.row(
                    "SELECT 1 FROM sqlite_master WHERE name = 'schema_step'")
                return try StoreStatus(connection, "SQLite \(version)", isEmpty: exists == nil)
            }
        } catch let error as StoreError { throw error } catch {
            throw StoreError(.unreachable, "\(path): \(SQLiteConnection.words(for: error))")
        }
    }

    private init(_ connection: any SQLConnection, _ product: String, isEmpty: Bool)
        throws(StoreError)
    {
        self.product = product
        let steps = isEmpty ? [:] : try Migrator.steps(connection)
        let names = Migrations.all.map(\.name), known = Set(names)
        schema = names.last { steps[$0] != nil }
        missing = names.filter { steps[$0] == nil }
        let foreign = steps.filter { !known.contains($0.key) }
        newer = foreign.filter(\.value).keys.sorted()
        tooNew = foreign.filter { !$0.value }.keys.sorted()
        guard schema != nil else {
            (accounts, auditNumber) = (0, 0)
            return
        }
        accounts = Int(try connection.row("SELECT COUNT(*) FROM account")?.integer(0) ?? 0)
        let last = try connection.row("SELECT number FROM audit ORDER BY number DESC LIMIT 1")
        auditNumber = Int(try last?.integer(0) ?? 0)
    }
}

extension Store {
    /// Adds the migration steps that a database lacks, as a server does at its start.
    ///
    /// - Returns: the names of the added steps.
    /// - Throws: ``StoreError`` `.tooNew` or `.tooOld`.
    public static func migrate(_ driver: any SQLDriver, from status: StoreStatus) async throws
        -> [String]
    {
        try await Migrator.migrate(driver)
        return status.missing
    }
}
