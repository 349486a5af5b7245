internal import Foundation

/// Finds out how a commit ended during which the connection was lost. PostgreSQL remembers how each
/// recent transaction ended.
struct PostgresCommit {
    struct Transaction {
        /// The transaction's number. PostgreSQL uses it again only after a crash before it was written to
        /// the log.
        let id: String
        /// The process that served the connection.
        let processID: Int32
        /// The timeline of the log. After a standby takes over, the same number may denote another
        /// transaction.
        let timeline: String
        /// The last recovery. After a crash, the same number may denote another transaction.
        let recovery: String
    }

    enum Outcome { case committed, aborted, unknown }

    let transaction: Transaction
    let settings: PostgresSettings

    init(_ transaction: Transaction, _ settings: PostgresSettings) {
        (self.transaction, self.settings) = (transaction, settings)
    }

    /// Asks until PostgreSQL answers, for a while.
    func outcome(_ link: PostgresLink) -> Outcome {
        let deadline = ContinuousClock.now + settings.patience
        while true {
            do throws(PostgresFailure) {
                if let outcome = try ask(link.open(until: deadline)) { return outcome }
            } catch {
                link.close()
            }
            guard .now < deadline else { return .unknown }
            Thread.sleep(.milliseconds(50))
        }
    }

    /// - Returns: `nil` while the transaction may still be committed.
    private func ask(_ connection: PostgresConnection) throws(PostgresFailure) -> Outcome? {
        guard connection.timeline == transaction.timeline else { return .unknown }
        let id = SQLValue.text(transaction.id)
        // After a crash, PostgreSQL gives the number of a transaction that had not reached the log
        // to another one. A committed transaction keeps its number. So if the number is not
        // committed, this transaction was not; if it is committed, it may belong to another
        // transaction.
        let hasCrashed = connection.recovery != transaction.recovery
        let status = try connection.run(
            PostgresQuery("SELECT pg_xact_status(CAST(? AS xid8))", id)
        ).rows
        switch status.first?[0] {
        case .text("committed"): return hasCrashed ? .unknown : .committed
        case .text("aborted"): return .aborted
        case .text("in progress") where hasCrashed: return .aborted
        case .text("in progress"):
            // The process that served the lost connection still runs the transaction. End it, then
            // ask again.
            _ = try connection.run(
                PostgresQuery(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE pid = CAST(? AS integer) AND backend_xid = CAST(CAST(? AS xid8) AS xid)
                    """, .integer(Int64(transaction.processID)), id))
            return nil
        default: return .unknown
        }
    }
}
