import Synchronization

/// Records what real clients do at the same time. Its clock counts events, so that the order of two
/// of them is never in doubt.
public final class HistoryRecorder<Call: Sendable, Reply: Sendable>: Sendable {
    /// A recorded call that waits for its reply.
    public struct Pending: Sendable {
        fileprivate let number: Int
    }

    private struct Record {
        let client: Int
        let call: Call
        let began: Int64
        var outcome: Operation<Call, Reply>.Outcome?
        var isDropped = false
    }

    private let state = Mutex<(events: Int64, records: [Record])>((0, []))

    public init() {}

    /// Records a call. Call this before anything is sent.
    public func begin(_ call: Call, client: Int) -> Pending {
        state.withLock { state in
            state.events += 1
            state.records.append(Record(client: client, call: call, began: state.events))
            return Pending(number: state.records.count - 1)
        }
    }

    /// Records the reply. Call this after all of it arrived.
    public func end(_ pending: Pending, _ reply: Reply) {
        state.withLock { state in
            state.events += 1
            state.records[pending.number].outcome = .init(reply, ended: state.events)
        }
    }

    /// Removes a call that certainly had no effect. Calls that are neither ended nor dropped have an
    /// unknown outcome.
    public func drop(_ pending: Pending) {
        state.withLock { $0.records[pending.number].isDropped = true }
    }

    /// The history recorded so far.
    public var history: History<Call, Reply> {
        state.withLock { state in
            History(
                state.records.filter { !$0.isDropped }.map {
                    Operation(
                        client: $0.client, call: $0.call, began: $0.began, outcome: $0.outcome)
                })
        }
    }
}
