/// A database on which the repositories run. Each database product has one driver; everything above
/// uses portable SQL with `?` for values.
public protocol SQLDriver: Sendable {
    /// The database's names for the types of the schema.
    var dialect: SQLDialect { get }

    /// Whether several servers may use the database at once.
    var isShared: Bool { get }

    /// The number of writes that wait for the writer, and how many may.
    var waitingWrites: Int { get }
    var maxWaitingWrites: Int { get }

    /// The number of reads that run or wait for a reader, and the number of readers.
    var reads: Int { get }
    var readers: Int { get }

    /// Runs `body` in its own write transaction, which is committed when `body` returns and rolled
    /// back when it throws.
    ///
    /// Returns only after the commit. With `.always`, the written data survives a power loss; with
    /// `.process`, it survives the process being killed at any moment.
    ///
    /// - Throws: the error of `body`, or ``StoreError``.
    func write<Output: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output

    /// Runs `body` on a consistent snapshot of the database. `body` must not write.
    func read<Output: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Output)
        async throws -> Output

    /// Runs `body`, which runs one query at most, as ``read(_:)`` does. Cheaper where beginning a
    /// transaction takes a round trip.
    func readOne<Output: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Output)
        async throws -> Output

    /// Runs `body`, which changes the schema, in its own transaction. Where several servers share the
    /// database, one at a time changes the schema, and `body` sees what the one before has committed.
    func changeSchema<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output

    /// Returns what the servers on this database, including this one, send with
    /// ``SQLConnection/notify(_:_:)``. The first element is
    /// ``StoreNotification/resynchronize``; the stream ends when the database is closed.
    func notifications(_ channels: Set<StoreChannel>) -> AsyncStream<StoreNotification>

    /// Finishes the waiting writes and closes the database. Nothing may be in progress.
    func close() throws
}

extension SQLDriver {
    public func readOne<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output { try await read(body) }
}

/// The failures that a write survives.
public enum Durability: Sendable {
    /// A killed process. A power loss may destroy the last writes. For journeys in progress, which
    /// can be restarted.
    case process
    /// A power loss. For accounts, credentials, counters, and the audit log.
    case always
}

/// A connection for statements within one transaction. Not `Sendable`, because it is valid only in
/// the closure that receives it.
public protocol SQLConnection {
    /// - Returns: the number of changed rows.
    /// - Throws: ``StoreError`` `.conflict` if a key already exists, `.stale` if a referenced row
    ///   no longer exists.
    @discardableResult
    func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int

    func rows(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow]

    /// Executes a statement whose outcome the body does not need, such as an update of a row that it
    /// has read. The statement must not be able to violate a constraint. It may travel with a later
    /// one, which saves a round trip; if it fails then, so does the transaction.
    func executeLater(_ sql: String, _ values: [SQLValue]) throws(StoreError)

    /// Lets the next statement change something only if a query finds nothing. The query may travel
    /// with the statement, which saves a round trip.
    ///
    /// - Throws: `error`, here or from the next statement, if the query finds something. Nothing that
    ///   the statement changed remains then, whatever the body does.
    func require(nothing sql: String, _ values: [SQLValue], else error: StoreError)
        throws(StoreError)

    /// The end of a subquery whose rows the statement around it changes. Rows that another
    /// transaction is changing are then skipped. Empty where one transaction writes at a time.
    var skippingLocked: String { get }

    /// Requests that the data this transaction deletes or replaces disappear from the database's
    /// files, including logs, within seconds of the commit.
    func leaveNoTrace()

    /// Tells all servers on this database that something has changed, once the transaction is
    /// committed. Servers that are starting or were cut off read everything again instead, so a
    /// notification announces what the database holds and is never the only place of a fact.
    ///
    /// - Parameter payload: What changed, such as an ID; at most
    ///   ``StoreChannel/maxPayloadBytes`` bytes, nothing personal and nothing secret.
    func notify(_ channel: StoreChannel, _ payload: String) throws(StoreError)
}

extension SQLConnection {
    public var skippingLocked: String { "" }

    public func executeLater(_ sql: String, _ values: [SQLValue]) throws(StoreError) {
        try execute(sql, values)
    }

    public func require(nothing sql: String, _ values: [SQLValue], else error: StoreError)
        throws(StoreError)
    {
        guard try rows(sql, values).isEmpty else { throw error }
    }

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
