/// Things that work once: challenges, authorization codes, mailed links, proofs.
public struct SingleUseModel: SequentialModel {
    public enum State: Hashable, Sendable { case absent, fresh, used }

    public enum Call: Sendable, Hashable {
        /// Creates the thing, which happens once.
        case issue(String)
        /// Uses it.
        case take(String)
        /// Asks whether it was used.
        case isUsed(String)
    }

    public enum Reply: Sendable, Hashable {
        case issued
        /// The caller is the one that used it.
        case taken
        /// It was used before, or there is no such thing.
        case refused
        case isUsed(Bool)
    }

    /// The state before the first call: `fresh` for things such as the ID of a proof, which nobody
    /// issues.
    public let initial: State

    public init(initially initial: State = .absent) { self.initial = initial }

    public func key(of call: Call) -> String {
        switch call {
        case .issue(let name), .take(let name), .isUsed(let name): name
        }
    }

    public func apply(_ call: Call, to state: inout State) -> Reply {
        switch (call, state) {
        case (.issue, .absent):
            state = .fresh
            return .issued
        case (.issue, .fresh), (.issue, .used): return .refused
        case (.take, .fresh):
            state = .used
            return .taken
        case (.take, .absent), (.take, .used): return .refused
        case (.isUsed, _): return .isUsed(state == .used)
        }
    }
}
