/// A mistake that a server with several processes could have. The simulation puts it in the place of
/// the server's own code, to show that it would be found.
public enum SeededBug: String, Sendable, CaseIterable {
    /// A single-use thing is looked up in one transaction and removed in the next.
    case takesInTwoTransactions
    /// A client hears that a thing was used before that was committed.
    case answersBeforeCommit
    /// A thing is used in a transaction that a power loss may undo.
    case takesWithoutSync
    /// The use and its entry in the audit log are two transactions.
    case logsInAnotherTransaction
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
    /// A transaction of unknown outcome is sent again.
    case repeatsUncertainWrites
}
