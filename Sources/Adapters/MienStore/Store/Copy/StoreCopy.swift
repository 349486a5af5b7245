internal import GRDB
internal import MienCore

/// Copies the records of a database file to another database, which servers can share.
///
/// The first run copies a snapshot, also while a server uses the file. Another run carries over what
/// has changed since, so that the last one, with the server stopped, is short. Each run is one
/// transaction: it ends with the target equal to the file, compared by the number of rows and a hash
/// of every table, or changes nothing.
///
/// Until the last run, no server starts on the target.
public struct StoreCopy: Sendable {
    /// A copied table.
    public struct Table: Sendable, Hashable {
        public let name: String
        public let rows: Int
        /// The hash of all rows: see docs/spec/storage.md.
        public let sha256: [UInt8]
    }

    public struct Report: Sendable {
        public fileprivate(set) var tables: [Table] = []
        public fileprivate(set) var inserted = 0, updated = 0, deleted = 0
        public var rows: Int { tables.reduce(0) { $0 + $1.rows } }
    }

    /// Exists while a copy is not finished.
    private static let mark = "store_copy"
    /// The number of rows that one statement inserts; PostgreSQL accepts 65,535 values.
    private static let together = 200

    private let source: DatabaseQueue
    private let target: any SQLDriver
    private let tables: [TableShape]

    /// - Parameters:
    ///   - path: A snapshot of the database file: see ``DatabaseCopy``.
    ///   - target: An empty database, or one with an unfinished copy of the same file.
    /// - Throws: ``StoreError`` `.unreachable`; `.tooNew` or `.tooOld` if the schema is not
    ///   this program's.
    public init(of path: String, to target: any SQLDriver) throws(StoreError) {
        var configuration = Configuration()
        configuration.readonly = true
        do {
            source = try DatabaseQueue(path: path, configuration: configuration)
            tables = try source.read { database in
                let connection = SQLiteConnection(database)
                guard
                    try Set(Migrator.steps(connection).keys) == Set(Migrations.all.map(\.name))
                else {
                    throw StoreError(
                        .tooNew,
                        "the database file has another schema than this program. Start its server once with this version"
                    )
                }
                return try TableShape.all(of: connection)
            }
        } catch let error as StoreError { throw error } catch {
            throw StoreError(.unreachable, SQLiteConnection.words(for: error))
        }
        self.target = target
    }

    /// Whether an earlier last run made the target equal to the file, and was interrupted before it
    /// could say so: the target has the file's last audit entry, and servers may use it.
    public func isFinished() async throws -> Bool {
        let last = try await source.read { database in
            try SQLiteConnection(database).row(
                "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1")
        }
        guard let last else { return false }
        return try await target.read { connection in
            guard try !Self.exists(Self.mark, connection),
                try Self.exists("schema_step", connection)
            else { return false }
            return try connection.row("SELECT hash FROM audit WHERE number = ?", last[0])?[0]
                == last[1]
        }
    }

    /// Makes the target equal to the file.
    ///
    /// - Parameters:
    ///   - isLast: Whether servers may then use the target.
    ///   - progress: Is called with the number of tables that are done and of all.
    /// - Throws: ``StoreError`` `.conflict` if the target has other records.
    public func run(
        isLast: Bool, progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) async throws -> Report {
        try await begin()
        try await Migrator.migrate(target)
        return try await target.changeSchema { [self] connection in
            // Delete what was erased in the file since the previous run.
            connection.leaveNoTrace()
            return try source.read { database in
                let file = SQLiteConnection(database)
                try requireSameLog(file, connection)
                var report = Report()
                try remove(file, connection, &report)
                for (index, table) in tables.enumerated() {
                    report.tables.append(try carryOver(table, file, connection, &report))
                    progress(index + 1, tables.count)
                }
                // The table may not exist: this transaction runs again if the answer to its commit
                // was lost.
                if isLast { try connection.execute("DROP TABLE IF EXISTS \(Self.mark)") }
                return report
            }
        }
    }

    /// Marks the database file at `path`, which no server uses. ``DatabaseMark/moving`` must be there
    /// before the last run: otherwise a server could write to the file after PostgreSQL has committed.
    public static func markFile(_ path: String, as mark: DatabaseMark) throws(StoreError) {
        try SQLiteDriver.mark(path, mark)
    }

    /// - Throws: ``StoreError`` `.incomplete` if a copy to the database has not been finished.
    public static func requireFinished(_ driver: any SQLDriver) async throws {
        guard try await driver.read({ try exists(mark, $0) }) else { return }
        throw StoreError(
            .incomplete,
            "a copy of a database file to it is not finished: stop the server of that file and run mien store copy --finish"
        )
    }

    /// Marks the target as unfinished.
    private func begin() async throws {
        try await target.changeSchema { connection in
            if try Self.exists(Self.mark, connection) { return }
            guard try !Self.exists("schema_step", connection) else {
                throw StoreError(
                    .conflict,
                    "the database already has Mien's records. Name an empty one: nothing is overwritten"
                )
            }
            try connection.execute("CREATE TABLE \(Self.mark) (id BIGINT PRIMARY KEY)")
        }
    }

    private static func exists(_ table: String, _ connection: any SQLConnection)
        throws(StoreError) -> Bool
    {
        try connection.row(
            "SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = ?",
            .text(table)) != nil
    }

    /// The audit log of an earlier copy is the beginning of the file's.
    private func requireSameLog(_ file: any SQLConnection, _ copy: any SQLConnection)
        throws(StoreError)
    {
        guard
            let last = try copy.row(
                "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1")
        else { return }
        let same = try file.row("SELECT hash FROM audit WHERE number = ?", last[0])
        guard same?[0] == last[1] else {
            throw StoreError(
                .conflict,
                "the database has an unfinished copy of another file. Drop it, create an empty one, and copy again"
            )
        }
    }

    /// Deletes what the file no longer has, rows that refer to others first.
    private func remove(
        _ file: any SQLConnection, _ copy: any SQLConnection, _ report: inout Report
    ) throws(StoreError) {
        for table in tables.reversed() {
            var old = TableReader(file, table), new = TableReader(copy, table)
            var surplus: [[SQLValue]] = []
            while let row = try new.peek() {
                let key = new.key(of: row)
                if let other = try old.peek(), Self.precedes(old.key(of: other), key) {
                    old.advance()
                    continue
                }
                if try old.peek().map({ old.key(of: $0) }) != key { surplus.append(key) }
                new.advance()
            }
            let condition = table.key.map { "\($0) = ?" }.joined(separator: " AND ")
            for key in surplus {
                report.deleted += try copy.execute(
                    "DELETE FROM \(table.name) WHERE \(condition)", key)
            }
        }
    }

    /// Inserts and updates what differs, and compares the results.
    private func carryOver(
        _ table: TableShape, _ file: any SQLConnection, _ copy: any SQLConnection,
        _ report: inout Report
    ) throws(StoreError) -> Table {
        var old = TableReader(file, table), new = TableReader(copy, table)
        var missing: [SQLRow] = [], changed: [SQLRow] = []
        while let row = try old.peek() {
            let key = old.key(of: row)
            if let other = try new.peek(), new.key(of: other) == key {
                if !table.columns.indices.allSatisfy({ row[$0] == other[$0] }) {
                    changed.append(row)
                }
                new.advance()
            } else {
                missing.append(row)
            }
            old.advance()
            // Rows that are inserted come before those that are still to be read.
            if missing.count == Self.together {
                try insert(missing, into: table, copy)
                report.inserted += missing.count
                missing = []
            }
        }
        try insert(missing, into: table, copy)
        report.inserted += missing.count
        for row in changed { try update(row, of: table, copy) }
        report.updated += changed.count

        var check = TableReader(copy, table)
        while try check.peek() != nil { check.advance() }
        guard check.count == old.count, check.sha256 == old.sha256 else {
            throw StoreError(
                .corrupt,
                "the copy of the table \(table.name) differs from the file: \(check.count) rows instead of \(old.count), or other content. Nothing was changed"
            )
        }
        return Table(name: table.name, rows: old.count, sha256: old.sha256)
    }

    private func insert(
        _ rows: [SQLRow], into table: TableShape, _ copy: any SQLConnection
    ) throws(StoreError) {
        // Statements of few different lengths can stay prepared.
        var rows = rows[...]
        while !rows.isEmpty {
            let count = rows.count == Self.together ? Self.together : 1
            let places = "(" + table.columns.map { _ in "?" }.joined(separator: ", ") + ")"
            try copy.execute(
                "INSERT INTO \(table.name) (\(table.columns.joined(separator: ", "))) VALUES "
                    + Array(repeating: places, count: count).joined(separator: ", "),
                rows.prefix(count).flatMap { row in table.columns.indices.map { row[$0] } })
            rows = rows.dropFirst(count)
        }
    }

    private func update(_ row: SQLRow, of table: TableShape, _ copy: any SQLConnection)
        throws(StoreError)
    {
        let others = table.columns.indices.filter { !table.keyPositions.contains($0) }
        let changes = others.map { "\(table.columns[$0]) = ?" }.joined(separator: ", ")
        let condition = table.key.map { "\($0) = ?" }.joined(separator: " AND ")
        try copy.execute(
            "UPDATE \(table.name) SET \(changes) WHERE \(condition)",
            others.map { row[$0] } + table.keyPositions.map { row[$0] })
    }

    private static func precedes(_ key: [SQLValue], _ other: [SQLValue]) -> Bool {
        for (value, against) in zip(key, other) where value != against {
            return value.precedes(against)
        }
        return false
    }
}
