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
        /// After a standby took over, the same number may be another transaction's.
        let timeline: String
        /// After a crash, the same number may be another transaction's.
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
        // A transaction that was committed before a crash keeps its number. So a number that is not
        // committed afterwards says that this one was not; one that is may be that of another.
        let hasCrashed = connection.recovery != transaction.recovery
        let status = try connection.run(
            PostgresQuery("SELECT pg_xact_status(CAST(? AS xid8))", id)
        ).rows
        switch status.first?[0] {
        case .text("committed"): return hasCrashed ? .unknown : .committed
        case .text("aborted"): return .aborted
        case .text("in progress") where hasCrashed: return .aborted
        case .text("in progress"):
            // The process has not noticed yet that nobody listens any more.
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
