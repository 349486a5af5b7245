/// The search for one object. See ``LinearizabilityChecker``.
struct LinearizationSearch<Model: SequentialModel> {
    enum Result {
        case found
        /// The longest order, and the first call that it could not take in.
        case none(longest: [Int], blocked: Int)
        case exhausted
    }

    private let model: Model
    private let operations: [Operation<Model.Call, Model.Reply>]
    private var events: EventList
    private var visited: Set<Configuration<Model.State>> = []

    init(_ model: Model, _ operations: [Operation<Model.Call, Model.Reply>]) {
        (self.model, self.operations) = (model, operations)
        events = EventList(operations)
    }

    mutating func run(atMost maxSteps: Int) -> Result {
        var state = model.initial, taken = OperationSet(), steps = 0
        var order: [(operation: Int, before: Model.State)] = []
        var longest: [Int] = [], blocked = 0
        var event = events.first
        while events.openReplies > 0 {
            steps += 1
            if steps > maxSteps { return .exhausted }
            if let operation = events.call(at: event) {
                if let next = place(operation, after: state), isNew(taken, operation, next) {
                    order.append((operation, state))
                    (state, taken) = (next, taken.inserting(operation))
                    events.remove(operation)
                    event = events.first
                } else {
                    event = events.next(event)
                }
                continue
            }
            // A reply whose call has no place yet: all calls that began before it were tried.
            if order.count >= longest.count {
                (longest, blocked) = (order.map(\.operation), events.operation(at: event))
            }
            guard let last = order.popLast() else {
                return .none(longest: longest, blocked: blocked)
            }
            events.restore(last.operation)
            (state, taken) = (last.before, taken.removing(last.operation))
            event = events.next(events.callEvent(of: last.operation))
        }
        return .found
    }

    /// - Returns: the state after the operation; `nil` if its reply contradicts the model.
    private func place(_ operation: Int, after state: Model.State) -> Model.State? {
        var next = state
        let reply = model.apply(operations[operation].call, to: &next)
        guard let observed = operations[operation].outcome?.reply else { return next }
        return model.allows(observed, for: reply) ? next : nil
    }

    private mutating func isNew(_ taken: OperationSet, _ operation: Int, _ state: Model.State)
        -> Bool
    { visited.insert(Configuration(taken: taken.inserting(operation), state: state)).inserted }
}

private struct Configuration<State: Hashable>: Hashable {
    let taken: OperationSet
    let state: State
}

/// A set of small numbers; those below 64 need no memory of their own.
private struct OperationSet: Hashable {
    private var low: UInt64 = 0
    private var high: [UInt64] = []

    func inserting(_ number: Int) -> OperationSet { changing(number) { $0 | $1 } }
    func removing(_ number: Int) -> OperationSet { changing(number) { $0 & ~$1 } }

    private func changing(_ number: Int, _ change: (UInt64, UInt64) -> UInt64) -> OperationSet {
        var changed = self
        let bit: UInt64 = 1 << UInt64(number % 64)
        if number < 64 {
            changed.low = change(low, bit)
            return changed
        }
        let word = number / 64 - 1
        while changed.high.count <= word { changed.high.append(0) }
        changed.high[word] = change(changed.high[word], bit)
        // Equal sets must be equal values.
        while changed.high.last == 0 { changed.high.removeLast() }
        return changed
    }
}

/// Beginnings and replies by time, as a doubly linked list from which a call is removed with its
/// reply, and restored, in constant time. A call of unknown outcome has no reply.
private struct EventList {
    private struct Event {
        let operation: Int
        let isCall: Bool
        var previous: Int
        var next: Int
    }

    private var events: [Event]
    private var callEvents: [Int]
    private var replyEvents: [Int?]
    private(set) var openReplies: Int

    /// The first and the last event are sentinels.
    init<Call, Reply>(_ operations: [Operation<Call, Reply>]) {
        var moments: [(time: Int64, isCall: Bool, operation: Int)] = []
        for (number, operation) in operations.enumerated() {
            moments.append((operation.began, true, number))
            if let outcome = operation.outcome { moments.append((outcome.ended, false, number)) }
        }
        // Calls first: a call and a reply at the same time overlap.
        moments.sort {
            ($0.time, $0.isCall ? 0 : 1, $0.operation) < ($1.time, $1.isCall ? 0 : 1, $1.operation)
        }
        callEvents = Array(repeating: 0, count: operations.count)
        replyEvents = Array(repeating: nil, count: operations.count)
        events = [Event(operation: -1, isCall: false, previous: 0, next: 1)]
        for (index, moment) in moments.enumerated() {
            let position = index + 1
            if moment.isCall {
                callEvents[moment.operation] = position
            } else {
                replyEvents[moment.operation] = position
            }
            events.append(
                Event(
                    operation: moment.operation, isCall: moment.isCall, previous: index,
                    next: position + 1))
        }
        events.append(
            Event(operation: -1, isCall: false, previous: moments.count, next: moments.count + 1))
        openReplies = replyEvents.count { $0 != nil }
    }

    var first: Int { events[0].next }
    func next(_ event: Int) -> Int { events[event].next }
    func operation(at event: Int) -> Int { events[event].operation }
    func callEvent(of operation: Int) -> Int { callEvents[operation] }

    /// - Returns: the operation that begins at `event`; `nil` for a reply.
    func call(at event: Int) -> Int? { events[event].isCall ? events[event].operation : nil }

    mutating func remove(_ operation: Int) {
        unlink(callEvents[operation])
        guard let reply = replyEvents[operation] else { return }
        unlink(reply)
        openReplies -= 1
    }

    /// Restores the operation that was removed last.
    mutating func restore(_ operation: Int) {
        if let reply = replyEvents[operation] {
            relink(reply)
            openReplies += 1
        }
        relink(callEvents[operation])
    }

    private mutating func unlink(_ event: Int) {
        let (previous, next) = (events[event].previous, events[event].next)
        (events[previous].next, events[next].previous) = (next, previous)
    }

    private mutating func relink(_ event: Int) {
        let (previous, next) = (events[event].previous, events[event].next)
        (events[previous].next, events[next].previous) = (event, event)
    }
}
