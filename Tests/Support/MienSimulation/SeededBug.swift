/// A mistake that a server with several processes could have. The simulation puts it in the place of
/// the server's own code, to show that it would be found.
public enum SeededBug: String, Sendable, CaseIterable {
    // MARK: Things that work once, and the audit log

    /// A single-use thing is looked up in one transaction and removed in the next.
    case takesInTwoTransactions
    /// A client hears that a thing was used before that was committed.
    case answersBeforeCommit
    /// A thing is used in a transaction that a power loss may undo.
    case takesWithoutSync
    /// The use and its entry in the audit log are two transactions.
    case logsInAnotherTransaction
    /// A transaction of unknown outcome is sent again.
    case repeatsUncertainWrites

    // MARK: Locks, refresh tokens, and runs

    /// Failures are read in one transaction and written in the next.
    case countsInTwoTransactions
    /// A wrong guess is counted after it was judged.
    case countsAfterJudging
    /// A refresh token is judged in one transaction and replaced in the next.
    case rotatesInTwoTransactions
    /// Reuse is noticed in a transaction that then fails, so that the sign-in goes on.
    case forgetsReuse
    /// A run is written whatever its revision is.
    case writesWithoutRevision
    /// A server answers from what it read before.
    case readsFromCache

    // MARK: Leases and limits

    /// A transaction of the holder of a lease does not require it.
    case writesWithoutLease
    /// A bucket is read in one transaction and written in the next.
    case limitsInTwoTransactions
    /// Each server has a bucket of its own.
    case limitsAlone
    /// A server that is refused tokens fills the bucket again, because another one's clock was ahead.
    case refillsForOthers

    // MARK: The outbox

    /// A message is removed when it is claimed.
    case deletesBeforeDelivering
    /// A message is written in a transaction after that of its cause.
    case enqueuesInAnotherTransaction
    /// Messages are sent without keeping them from the other servers.
    case deliversWithoutClaim

    // MARK: Live captures and jobs

    /// A capture is begun without comparing that it has not changed since it was read.
    case beginsWithoutComparing
    /// A server ends a capture that another one has, without asking whether that one lives.
    case interruptsTheLiving
    /// The wrong face of a capture is counted in a transaction before that of its end.
    case countsGuessApart
    /// The result of a job is written without asking whether the job is still the server's own.
    case judgesLostJobs

    /// Whether only live captures show it.
    var isOfCaptures: Bool {
        [.beginsWithoutComparing, .interruptsTheLiving, .countsGuessApart].contains(self)
    }
}
