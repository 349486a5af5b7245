/// How a write shares the database with those of other transactions: by a lock of an empty table,
/// which the transaction takes before its snapshot and which ends with it. Readers never wait.
enum PostgresTurn: String {
    /// Beside all others, except one ``alone``.
    case beside = "ROW EXCLUSIVE"
    /// One at a time, of all servers; beside those that run ``beside`` others.
    case inTurn = "SHARE UPDATE EXCLUSIVE"
    /// Without any other write, for one that lost against others several times.
    case alone = "EXCLUSIVE"

    static let table = "store_turn"

    /// Begins a transaction. PostgreSQL takes the snapshot at the first statement that reads, so the
    /// transaction sees everything that those before it in turn have committed.
    var begin: [String] {
        [
            "BEGIN ISOLATION LEVEL SERIALIZABLE", "LOCK TABLE \(Self.table) IN \(rawValue) MODE",
            PostgresConnection.identify,
        ]
    }

    /// Creates the table unless it exists. Several servers may do so at once.
    static func create(_ connection: PostgresConnection) throws(PostgresFailure) {
        try connection.create(table, "CREATE TABLE IF NOT EXISTS \(table) ()")
    }
}
