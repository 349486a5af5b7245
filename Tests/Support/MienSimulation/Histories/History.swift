/// A call by a client, and the reply it received.
public struct Operation<Call: Sendable, Reply: Sendable>: Sendable {
    /// The number of the client, for people who read a counterexample.
    public let client: Int
    public let call: Call
    /// When the client sent the call. Times have any unit, but one clock.
    public let began: Int64
    /// The reply, and when it arrived; `nil` if the client never learned what happened, because the
    /// server was killed, the connection broke, or the time ran out. Such a call may have taken
    /// effect at any time since it began, or never.
    public let outcome: Outcome?

    public struct Outcome: Sendable {
        public let reply: Reply
        public let ended: Int64

        public init(_ reply: Reply, ended: Int64) { (self.reply, self.ended) = (reply, ended) }
    }

    /// - Precondition: `outcome` does not end before `began`.
    public init(client: Int, call: Call, began: Int64, outcome: Outcome?) {
        precondition(outcome.map { $0.ended >= began } ?? true, "a reply precedes its call")
        (self.client, self.call, self.began, self.outcome) = (client, call, began, outcome)
    }
}

/// The calls that clients made to one or more objects at the same time. Operations are in no particular order.
///
/// Leave out calls that certainly had no effect, such as those to a port on which nobody listens.
public struct History<Call: Sendable, Reply: Sendable>: Sendable {
    public var operations: [Operation<Call, Reply>]

    public init(_ operations: [Operation<Call, Reply>] = []) { self.operations = operations }

    /// The histories of the objects, each in the order of the calls' beginnings.
    func parts<Key: Hashable>(by key: (Call) -> Key) -> [(
        key: Key, operations: [Operation<Call, Reply>]
    )] {
        var order: [Key] = [], parts: [Key: [Operation<Call, Reply>]] = [:]
        for operation in operations {
            let key = key(operation.call)
            if parts[key] == nil { order.append(key) }
            parts[key, default: []].append(operation)
        }
        return order.map { key in (key, (parts[key] ?? []).sorted { $0.began < $1.began }) }
    }
}
