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

    private struct State {
        var check: Task<Bool, Never>?
        var goodUntil: ContinuousClock.Instant?
    }

    private let store: Store
    private let clock: ServerClock
    private let state = Mutex(State())

    init(store: Store, clock: ServerClock) { (self.store, self.clock) = (store, clock) }

    /// Requests at the same time share one write.
    func isReady() async -> Bool {
        let check = state.withLock { state -> Task<Bool, Never>? in
            if let until = state.goodUntil, ContinuousClock.now < until { return nil }
            if let check = state.check { return check }
            let check = Task { [self] in
                let isGood = await canWrite()
                self.state.withLock {
                    $0.check = nil
                    $0.goodUntil = isGood ? .now + Self.validity : nil
                }
                return isGood
            }
            state.check = check
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
