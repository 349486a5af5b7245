internal import Synchronization

/// Counts those inside; turns away when there are too many.
final class BoundedLine: Sendable {
    private let most: Int
    private let inside = Mutex(0)

    init(most: Int) { self.most = most }

    func enter() -> Bool {
        inside.withLock { inside in
            guard inside < most else { return false }
            inside += 1
            return true
        }
    }

    func leave() { inside.withLock { $0 -= 1 } }
}

/// Too much is going on: the request may be made again later.
struct ServerBusy: Error {}
