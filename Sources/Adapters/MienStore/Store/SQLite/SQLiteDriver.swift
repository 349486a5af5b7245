internal import Foundation
package import GRDB
internal import MienAPI
internal import Synchronization

/// SQLite through GRDB, with WAL, foreign keys, and overwriting of deleted content. Any number of
/// readers work alongside one writer.
public final class SQLiteDriver: SQLDriver {
    /// The maximum wait for another process's lock.
    static let busyMilliseconds = 10_000
    /// The number of connections for reading.
    static let maxReaders = 4

    private let pool: DatabasePool
    private let writer: GroupWriter
    private let hub = NotificationHub(isListening: true)
    private let begunReads = Mutex(0)

    /// Why the database may lack data that its server had committed, if that was accepted.
    public let acceptedFlaw: String?

    /// Opens the file at `path`. Creates a missing file with mode 0600.
    ///
    /// - Parameter acceptsLoss: Whether a database is opened although it may lack committed data.
    /// - Throws: ``StoreError`` `.unreachable`; `.incomplete` if the database was copied without
    ///   its write-ahead log or is older than its server's last commit; `.moved` if its server goes
    ///   on with PostgreSQL.
    public init(path: String, acceptsLoss: Bool = false) throws(StoreError) {
        // Before SQLite creates a log.
        let state = DatabaseState(ofFile: path)
        guard state.mark != .moved || acceptsLoss else {
            throw StoreError(
                .moved,
                "the database was copied to PostgreSQL, where its server goes on: set store.url to that. To go on with the file, without what was written since: mien serve --accept-lost-writes"
            )
        }
        guard state.mark != .moving || acceptsLoss else {
            throw StoreError(
                .moved,
                "the last step of its copy to PostgreSQL was interrupted, and PostgreSQL may have everything already: run mien store copy --finish again. To go on with the file, without what was written to PostgreSQL since: mien serve --accept-lost-writes"
            )
        }
        let headPath = path + CommittedHead.suffix, head = CommittedHead.read(path: headPath)
        // Opening creates a log, which would hide at the next start that there was none.
        if head == nil, !acceptsLoss, let flaw = state.flaw(head: nil, last: nil, sameNumber: nil) {
            throw StoreError(.incomplete, flaw)
        }
        // SQLite would create it with the process's own mask.
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(
                atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(Double(Self.busyMilliseconds) / 1000)
        configuration.maximumReaderCount = Self.maxReaders
        configuration.label = "mien.store"
        configuration.prepareDatabase { database in
            // Overwrite deleted data in the file, above all a person's keys.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            try FreedSpace.prepare(database)
        }
        do { pool = try DatabasePool(path: path, configuration: configuration) } catch {
            throw StoreError(
                .unreachable,
                "\(path) cannot be opened as a database: \(SQLiteConnection.words(for: error))")
        }
        let flaw = try? pool.read { database in
            state.flaw(
                head: head, last: database.lastAuditEntry(),
                sameNumber: head.flatMap { database.auditEntry($0.number) })
        }
        acceptedFlaw = flaw
        if let flaw, !acceptsLoss {
            try? pool.close()
            throw StoreError(.incomplete, flaw)
        }
        writer = GroupWriter(pool, head: CommittedHead(path: headPath), hub: hub)
        do { try Self.mark(.inUse, in: pool) } catch {
            throw StoreError(
                .unreachable, "\(path) cannot be written: \(SQLiteConnection.words(for: error))")
        }
    }

    /// Marks the file at `path`, which no server uses: see ``StoreCopy/markFile(_:as:)``.
    static func mark(_ path: String, _ mark: DatabaseMark) throws(StoreError) {
        do {
            let pool = try DatabasePool(path: path)
            try Self.mark(mark, in: pool)
            try pool.close()
        } catch { throw StoreError(.unreachable, SQLiteConnection.words(for: error)) }
    }

    /// Marks the file, and folds the mark into it: a copy of the file alone then has it.
    private static func mark(_ mark: DatabaseMark, in pool: DatabasePool) throws {
        try pool.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA user_version = \(mark.rawValue)")
        }
        _ = GroupWriter.removeTraces(pool)
    }

    deinit {
        writer.stop()
        hub.close()
    }

    public var dialect: SQLDialect { .sqlite }
    public var isShared: Bool { false }

    public var waitingWrites: Int { writer.waiting }
    public var maxWaitingWrites: Int { GroupWriter.maxWaiting }
    public var reads: Int { begunReads.withLock { $0 } }
    public var readers: Int { Self.maxReaders }

    /// Checkpoints the write-ahead log into the database and closes it. Nothing may be in progress.
    public func close() throws {
        writer.stop()
        hub.close()
        // Closing alone leaves the log: the last connection to close is a reader, which cannot
        // checkpoint it.
        try? Self.mark(.unused, in: pool)
        try pool.close()
    }

    public func write<Output: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await writer.write(durability, body)
    }

    public func changeSchema<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output { try await write(.always, body) }

    public func notifications(_ channels: Set<StoreChannel>) -> AsyncStream<StoreNotification> {
        hub.listen(to: channels)
    }

    public func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        begunReads.withLock { $0 += 1 }
        defer { begunReads.withLock { $0 -= 1 } }
        do { return try await pool.read { try body(SQLiteConnection($0)) } } catch let error
            as DatabaseError
        {
            throw StoreError(SQLiteConnection.code(of: error), SQLiteConnection.words(for: error))
        }
    }
}

extension SQLiteDriver {
    /// Returns a connection on a database that the caller opened, for one transaction.
    package static func connection(on database: Database) -> any SQLConnection {
        SQLiteConnection(database)
    }
}

/// A connection, valid for one transaction.
struct SQLiteConnection: SQLConnection {
    private let database: Database
    private let traces: Traces?

    /// - Parameter traces: the writer's traces.
    init(_ database: Database, _ traces: Traces? = nil) {
        (self.database, self.traces) = (database, traces)
    }

    /// The work that remains after the commit of a transaction. Used by one thread only.
    final class Traces {
        /// Whether its traces must be removed.
        var areUnwanted = false
        var notifications: [(channel: StoreChannel, payload: String)] = []
    }

    func leaveNoTrace() { traces?.areUnwanted = true }

    func notify(_ channel: StoreChannel, _ payload: String) throws(StoreError) {
        precondition(payload.utf8.count <= StoreChannel.maxPayloadBytes, "the payload is too long")
        traces?.notifications.append((channel, payload))
    }

    func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int {
        try translating {
            let statement = try database.cachedStatement(sql: sql)
            try statement.execute(arguments: Self.arguments(values))
            return database.changesCount
        }
    }

    func rows(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] {
        try translating {
            let statement = try database.cachedStatement(sql: sql)
            let cursor = try Row.fetchCursor(statement, arguments: Self.arguments(values))
            var rows: [SQLRow] = []
            while let row = try cursor.next() {
                rows.append(SQLRow(try (0..<row.count).map { try Self.value(row, $0) }))
            }
            return rows
        }
    }

    private func translating<Output>(_ body: () throws -> Output) throws(StoreError) -> Output {
        do { return try body() } catch let error as StoreError { throw error } catch let error
            as DatabaseError
            where error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY
        { throw StoreError(.stale, "a referenced row no longer exists") } catch let error
            as DatabaseError
            where error.resultCode == .SQLITE_CONSTRAINT
        {
            throw StoreError(
                .conflict, "a database constraint failed: \(error.extendedResultCode)")
        } catch {
            throw StoreError(Self.code(of: error), Self.words(for: error))
        }
    }

    /// Whether the database cannot be reached, or only cannot be written.
    static func code(of error: any Error) -> StoreError.Code {
        guard let error = error as? DatabaseError else { return .unreachable }
        return switch error.resultCode {
        case .SQLITE_FULL, .SQLITE_READONLY: .unwritable
        case .SQLITE_IOERR:
            switch error.extendedResultCode {
            case .SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ: .unreachable
            default: .unwritable
            }
        default: .unreachable
        }
    }

    /// Returns SQLite's own message without statement and values, which may be personal.
    static func words(for error: any Error) -> String {
        (error as? DatabaseError).map { "\($0.extendedResultCode): \($0.message ?? "no message")" }
            ?? "\(type(of: error))"
    }

    private static func arguments(_ values: [SQLValue]) throws(StoreError) -> StatementArguments {
        // SQLite would truncate the string at the NUL; PostgreSQL rejects it.
        for case .text(let text) in values where text.utf8.contains(0) {
            throw StoreError(.corrupt, "a string to be stored contains a NUL")
        }
        // As existentials: for a concrete type, GRDB forms a key path each time.
        let arguments: [(any DatabaseValueConvertible)?] = values.map(argument)
        return StatementArguments(arguments)
    }

    private static func argument(_ value: SQLValue) -> DatabaseValue {
        switch value {
        case .null: .null
        case .integer(let value): value.databaseValue
        case .real(let value): value.databaseValue
        case .text(let value): value.databaseValue
        case .blob(let value): Data(value).databaseValue
        }
    }

    private static func value(_ row: Row, _ index: Int) throws -> SQLValue {
        switch (row[index] as DatabaseValue).storage {
        case .null: .null
        case .int64(let value): .integer(value)
        case .double(let value): .real(value)
        case .string(let value):
            // Compare all bytes: the string itself ends at a NUL, and GRDB repairs invalid UTF-8.
            if try row.withUnsafeData(atIndex: index, { $0?.elementsEqual(value.utf8) == true }) {
                .text(value)
            } else {
                throw StoreError(
                    .corrupt,
                    "column \(index) of a row holds a string that contains a NUL or is not valid UTF-8"
                )
            }
        case .blob(let value): .blob(Array(value))
        }
    }
}
