internal import Foundation
internal import GRDB
public import MienAPI
internal import MienCore
internal import MienVault

/// Copies of a database for backups.
public enum DatabaseCopy {
    /// Facts about the content of a copy.
    public struct Facts: Sendable, Hashable {
        /// The newest migration.
        public let schema: String
        /// The last entry of the audit log, which is intact.
        public let audit: AuditChain
        public let accounts: Int
    }

    /// Copies the database at `path` to a new file, while a server may be using it. The copy is one
    /// consistent state, complete without a write-ahead log, with mode 0600.
    ///
    /// Uses SQLite's backup, in one step: writers go on, but their log grows until it is done.
    ///
    /// - Parameter isForMove: Whether the copy's server goes on elsewhere. The file must then have all
    ///   that its server committed.
    /// - Throws: ``StoreError`` `.unreachable`; for a move `.incomplete` or `.moved`, as when a server
    ///   opens the file.
    public static func make(of path: String, at target: String, isForMove: Bool = false)
        throws(StoreError)
    {
        // Before SQLite creates a log, and before the copy: a server that runs only makes it newer.
        let state = DatabaseState(ofFile: path)
        let head = CommittedHead.read(path: path + CommittedHead.suffix)
        if isForMove {
            guard state.mark != .moved else {
                throw StoreError(
                    .moved,
                    "the database was copied to PostgreSQL before, where its server goes on: set store.url to that. Nothing was copied now"
                )
            }
            if head == nil, let flaw = state.flaw(head: nil, last: nil, sameNumber: nil) {
                throw incomplete(flaw)
            }
        }
        guard FileManager.default.fileExists(atPath: path) else {
            throw StoreError(.unreachable, "\(path) does not exist")
        }
        guard
            FileManager.default.createFile(
                atPath: target, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw StoreError(.unreachable, "\(target) cannot be created") }
        try translating {
            var configuration = Configuration()
            configuration.busyMode = .timeout(Double(SQLiteDriver.busyMilliseconds) / 1000)
            configuration.readonly = true
            let source = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? source.close() }
            let copy = try DatabaseQueue(path: target)
            try source.backup(to: copy)
            if isForMove {
                let flaw = try copy.read { database in
                    state.flaw(
                        head: head, last: database.lastAuditEntry(),
                        sameNumber: head.flatMap { database.auditEntry($0.number) })
                }
                if let flaw {
                    try copy.close()
                    throw incomplete(flaw)
                }
            }
            try copy.writeWithoutTransaction { database in
                // One file, without the mark of the server that uses the original.
                _ = try Row.fetchAll(database, sql: "PRAGMA journal_mode = DELETE")
                try database.execute(sql: "PRAGMA user_version = 0")
            }
            try copy.close()
        }
    }

    /// Reads a copy and checks it completely: SQLite's structure, the migrations, that `keys` open
    /// what is sealed, and the audit log.
    ///
    /// - Throws: ``StoreError`` `.corrupt`, `.foreignKey`, `.tooNew`, `.tooOld`, or
    ///   `.unreachable`.
    public static func facts(of path: String, keys: StoreKeys) throws(StoreError) -> Facts {
        try translating {
            var configuration = Configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.read { database in
                let found = try String.fetchOne(database, sql: "PRAGMA integrity_check(1)")
                guard found == "ok" else {
                    throw StoreError(.corrupt, "the database is damaged: SQLite's check failed")
                }
                return try facts(of: Tables(connection: SQLiteConnection(database), keys: keys))
            }
        }
    }

    private static func facts(of tables: Tables) throws -> Facts {
        let steps = Set(try Migrator.steps(tables.connection).keys)
        if let foreign = steps.subtracting(Migrations.all.map(\.name)).min() {
            throw StoreError(
                .tooNew,
                "the database has the schema step “\(foreign)”, which this version does not know. Use a newer version."
            )
        }
        guard let schema = Migrations.all.last(where: { steps.contains($0.name) })?.name else {
            throw StoreError(.corrupt, "the database has no schema of this program")
        }
        let known = Set(tables.keys.ring.keys.map(\.name))
        guard try tables.masterKeys.counts().keys.allSatisfy(known.contains) else {
            throw StoreError(.foreignKey, "a record is sealed under a master key that is missing")
        }
        _ = try tables.signingKeys.current(at: Instant(seconds: 0))
        let accounts = try tables.connection.row("SELECT COUNT(*) FROM account")?.integer(0) ?? 0
        switch try tables.audit.verify() {
        case .whole(let entries, let last):
            return Facts(
                schema: schema, audit: AuditChain(number: Int64(entries), hash: last),
                accounts: Int(accounts))
        case .broken(let number):
            throw StoreError(
                .corrupt, "the audit log was modified at entry \(number) or an entry is missing")
        }
    }

    private static func incomplete(_ flaw: String) -> StoreError {
        StoreError(
            .incomplete,
            "the database \(flaw). To go on without them: start its server once with --accept-lost-writes, stop it, and copy again"
        )
    }

    private static func translating<Output>(_ body: () throws -> Output) throws(StoreError)
        -> Output
    {
        do { return try body() } catch let error as StoreError { throw error } catch {
            throw StoreError(.unreachable, SQLiteConnection.words(for: error))
        }
    }
}
