/// A database the repositories run on. One driver a database product; above it, everything is
/// portable SQL with `?` for values.
public protocol SQLDriver: Sendable {
    /// Runs `body` in a transaction of its own that may write; committed when it returns, rolled
    /// back when it throws.
    ///
    /// Returns only after the commit: with `.always`, what was written survives the machine losing
    /// power; with `.process`, this process being killed at any moment.
    /// - Throws: what `body` throws; ``StoreError``.
    func write<Output: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output

    /// Runs `body` on an unchanging view of the database as it is now. It must not write.
    func read<Output: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Output)
        async throws -> Output
}

/// What a write survives.
public enum Durability: Sendable {
    /// The process being killed; power loss may take the last moments. For journeys in progress,
    /// which can be started again.
    case process
    /// Power loss, too. For accounts, credentials, counters, audit.
    case always
}

/// Statements within one transaction. Not `Sendable`: it belongs to the closure it was lent to.
public protocol SQLConnection {
    /// - Returns: how many rows were changed.
    /// - Throws: ``StoreError`` `.conflict` when a key is taken already, `.stale` when a row that
    ///   is referred to is gone.
    @discardableResult
    func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int

    func rows(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow]

    /// What this transaction deletes or replaces is to be gone from the database's files, logs
    /// included, within seconds of the commit.
    func leaveNoTrace()
}

extension SQLConnection {
    @discardableResult
    package func execute(_ sql: String, _ values: SQLValue...) throws(StoreError) -> Int {
        try execute(sql, values)
    }
    package func rows(_ sql: String, _ values: SQLValue...) throws(StoreError) -> [SQLRow] {
        try rows(sql, values)
    }
    package func row(_ sql: String, _ values: SQLValue...) throws(StoreError) -> SQLRow? {
        try rows(sql, values).first
    }
}
