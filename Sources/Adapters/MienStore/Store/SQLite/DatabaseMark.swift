/// The state of a database, as its own file notes it: SQLite's `user_version`.
public enum DatabaseMark: UInt32, Sendable {
    /// No server uses it, and one may.
    case unused = 0
    /// A server uses it.
    case inUse = 1
    /// It was copied to PostgreSQL, where its server goes on.
    case moved = 2
    /// The last step of such a copy began, and may have been interrupted: PostgreSQL may have
    /// everything already. No server uses the file before that step is repeated.
    case moving = 3
}
