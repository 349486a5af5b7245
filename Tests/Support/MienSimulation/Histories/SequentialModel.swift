/// The behavior of an object that is called by one client at a time: the meaning against which
/// ``LinearizabilityChecker`` holds what many clients saw. Pure: the time of a call is part of it.
public protocol SequentialModel: Sendable {
    associatedtype State: Hashable, Sendable
    associatedtype Call: Sendable
    associatedtype Reply: Equatable, Sendable
    /// Objects are independent of each other, so each is checked alone.
    associatedtype Key: Hashable, Sendable

    /// The state of every object before the first call.
    var initial: State { get }

    /// The object that `call` is about.
    func key(of call: Call) -> Key

    /// Performs `call`. A model is deterministic: the reply depends on the state and the call alone.
    func apply(_ call: Call, to state: inout State) -> Reply

    /// Whether a client may have seen `observed` when the object replied `actual`. For clients that
    /// cannot tell some replies apart, such as strangers who must not learn of a lock.
    func allows(_ observed: Reply, for actual: Reply) -> Bool
}

extension SequentialModel {
    public func allows(_ observed: Reply, for actual: Reply) -> Bool { observed == actual }
}
