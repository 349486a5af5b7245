internal import Synchronization

/// Limits the memory that the large bodies of all requests hold together.
///
/// The first ``free`` bytes of a body do not count, so a client that fills the budget with pictures
/// keeps nobody from signing in.
package final class BodyBudget: Sendable {
    static let free = 16 * 1024
    /// Enough for 25 pictures of the largest size, or 1,300 of the usual size.
    static let standard = 128 * 1024 * 1024

    private let maxBytes: Int
    private let used = Mutex(0)

    package init(maxBytes: Int = standard) { self.maxBytes = maxBytes }

    /// The memory that one body holds. It is returned to the budget when the share is deallocated.
    package final class Share {
        private let budget: BodyBudget
        private var bytes = 0
        private var counted = 0

        fileprivate init(_ budget: BodyBudget) { self.budget = budget }
        deinit { budget.used.withLock { $0 -= counted } }

        /// - Throws: ``ServerBusy`` if the budget is used up.
        func take(_ more: Int) throws {
            let needed = max(0, bytes + more - free) - counted
            guard needed > 0 else {
                bytes += more
                return
            }
            let hasRoom = budget.used.withLock { used -> Bool in
                guard used + needed <= budget.maxBytes else { return false }
                used += needed
                return true
            }
            guard hasRoom else { throw ServerBusy() }
            (bytes, counted) = (bytes + more, counted + needed)
        }
    }

    package func share() -> Share { Share(self) }
}
