internal import Foundation
internal import GRDB
internal import Synchronization

/// SQLite through GRDB: WAL, foreign keys on, deleted content overwritten; any number of readers
/// beside one writer.
public final class SQLiteDriver: SQLDriver {
    /// How long another process's lock is waited for.
    static let busyMilliseconds = 10_000

    private let pool: DatabasePool
    private let writer: GroupWriter

    /// Opens the file at `path`, which is made when missing, with mode 0600.
    ///
    /// - Throws: ``StoreError`` `.unreachable`.
    public init(path: String) throws(StoreError) {
        // SQLite would make it with the process's own mask.
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(
                atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(Double(Self.busyMilliseconds) / 1000)
        configuration.maximumReaderCount = 4
        configuration.label = "mien.store"
        configuration.prepareDatabase { database in
            // What is deleted is gone from the file: a person's keys above all.
            try database.execute(sql: "PRAGMA secure_delete = ON")
        }
        do { pool = try DatabasePool(path: path, configuration: configuration) } catch {
            throw StoreError(
                .unreachable,
                "\(path) cannot be opened as a database: \(SQLiteConnection.words(for: error))")
        }
        writer = GroupWriter(pool)
    }

    deinit { writer.stop() }

    /// Folds the write-ahead log into the database and closes it. Nothing may be under way.
    public func close() throws {
        writer.stop()
        // Closing alone leaves the log: the last connection to go is a reader, which cannot fold it
        // in.
        _ = GroupWriter.removeTraces(pool)
        try pool.close()
    }

    public func write<Output: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await writer.write(durability, body)
    }

    public func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        do { return try await pool.read { try body(SQLiteConnection($0)) } } catch let error
            as DatabaseError
        {
            throw StoreError(.unreachable, SQLiteConnection.words(for: error))
        }
    }
}

/// One connection, lent for one transaction.
struct SQLiteConnection: SQLConnection {
    private let database: Database
    private let traces: Traces?

    /// - Parameter traces: the writer's.
    init(_ database: Database, _ traces: Traces? = nil) {
        (self.database, self.traces) = (database, traces)
    }

    /// Whether a transaction wants its traces removed. One thread's.
    final class Traces { var areUnwanted = false }

    func leaveNoTrace() { traces?.areUnwanted = true }

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
        { throw StoreError(.stale, "what a row refers to is gone") } catch let error
            as DatabaseError
            where error.resultCode == .SQLITE_CONSTRAINT
        {
            throw StoreError(
                .conflict, "a rule of the database forbids this: \(error.extendedResultCode)")
        } catch {
            throw StoreError(.unreachable, Self.words(for: error))
        }
    }

    /// SQLite's own message and no statement or value, which may be personal.
    static func words(for error: any Error) -> String {
        (error as? DatabaseError).map { "\($0.extendedResultCode): \($0.message ?? "no message")" }
            ?? "\(type(of: error))"
    }

    private static func arguments(_ values: [SQLValue]) throws(StoreError) -> StatementArguments {
        // SQLite would keep what comes before it, PostgreSQL refuses it.
        for case .text(let text) in values where text.utf8.contains(0) {
            throw StoreError(.corrupt, "a text to be stored holds a NUL")
        }
        return StatementArguments(values.map(argument))
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
            // All of it: the text itself ends at a NUL, and repairs what is no UTF-8.
            if try row.withUnsafeData(atIndex: index, { $0?.elementsEqual(value.utf8) == true }) {
                .text(value)
            } else {
                throw StoreError(
                    .corrupt, "column \(index) of a row holds a text with a NUL or that is no UTF-8"
                )
            }
        case .blob(let value): .blob(Array(value))
        }
    }
}
