internal import MienCore
internal import MienStore
internal import Synchronization

/// Whether the server can work, for load balancers: it writes a row, because a server whose disk is
/// full still reads.
final class Readiness: Sendable {
    /// The name of the row, which stands for no work.
    private static let row = "readiness"
    /// Anybody may ask, so a good answer stands for those who ask soon after.
    private static let validity = Duration.seconds(1)

    private enum State {
        case unknown
        case checking(Task<Bool, Never>)
        case good(until: ContinuousClock.Instant)
    }

    private let store: Store
    private let clock: ServerClock
    private let state = Mutex(State.unknown)

    init(store: Store, clock: ServerClock) { (self.store, self.clock) = (store, clock) }

    /// Requests at the same time share one write.
    func isReady() async -> Bool {
        let check = state.withLock { state -> Task<Bool, Never>? in
            switch state {
            case .good(let until) where ContinuousClock.now < until: return nil
            case .checking(let check): return check
            case .good, .unknown: break
            }
            let check = Task { [self] in
                let isGood = await canWrite()
                self.state.withLock {
                    $0 = isGood ? .good(until: ContinuousClock.now + Self.validity) : .unknown
                }
                return isGood
            }
            state = .checking(check)
            return check
        }
        return await check?.value ?? true
    }

    private func canWrite() async -> Bool {
        let now = clock.now
        do {
            try await store.write(.process) { tables in
                _ = try tables.admins.isEmpty()
                _ = try tables.leases.take(Self.row, for: "", at: now, until: now + .seconds(1))
            }
            return true
        } catch { return false }
    }
}
