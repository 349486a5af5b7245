internal import Synchronization

/// Bounds what the large bodies of all requests together hold in memory.
///
/// The first ``free`` bytes of a body do not count: whoever fills the budget with pictures keeps
/// nobody from signing in.
final class BodyBudget: Sendable {
    static let free = 16 * 1024
    /// 25 of the largest pictures, or 1,300 of a usual size.
    static let standard = 128 * 1024 * 1024

    private let most: Int
    private let used = Mutex(0)

    init(most: Int = standard) { self.most = most }

    /// What one body holds; given back when the body is done with.
    final class Share {
        private let budget: BodyBudget
        private var bytes = 0
        private var counted = 0

        fileprivate init(_ budget: BodyBudget) { self.budget = budget }
        deinit { budget.used.withLock { $0 -= counted } }

        /// - Throws: ``ServerBusy`` when the budget is used up.
        func take(_ more: Int) throws {
            let needed = max(0, bytes + more - free) - counted
            guard needed > 0 else {
                bytes += more
                return
            }
            let isThere = budget.used.withLock { used -> Bool in
                guard used + needed <= budget.most else { return false }
                used += needed
                return true
            }
            guard isThere else { throw ServerBusy() }
            (bytes, counted) = (bytes + more, counted + needed)
        }
    }

    func share() -> Share { Share(self) }
}
