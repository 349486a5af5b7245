/// The refresh tokens of a sign-in: each works once, and using an old one ends them all.
///
/// The model has no time: a repeated request gets the same token again, as within the server's
/// grace. Histories that take longer should mark their requests.
public struct RefreshModel: SequentialModel {
    public struct State: Hashable, Sendable {
        /// The number of the newest token.
        public var generation = 0
        /// The mark of the client that used the token before.
        public var usersMark: Int?
        public var isEnded = false
    }

    public struct Call: Sendable, Hashable {
        public let family: String
        public let action: Action

        public init(_ family: String, _ action: Action) {
            (self.family, self.action) = (family, action)
        }
    }

    public enum Action: Sendable, Hashable {
        /// Uses the token of a generation. The client may repeat the request, with the same mark.
        case use(Int, mark: Int?)
        /// Ends the sign-in.
        case end
        /// Asks whether the sign-in has ended.
        case isEnded
    }

    public enum Reply: Sendable, Hashable {
        /// The client receives the token of this generation.
        case token(Int)
        /// The token is not accepted; whether because it was used before or because the sign-in has
        /// ended looks the same.
        case refused
        case done
        case isEnded(Bool)
    }

    public init() {}

    public var initial: State { State() }

    public func key(of call: Call) -> String { call.family }

    public func apply(_ call: Call, to state: inout State) -> Reply {
        switch call.action {
        case .use(let generation, let mark):
            guard !state.isEnded else { return .refused }
            if generation == state.generation {
                state = State(generation: generation + 1, usersMark: mark)
                return .token(generation + 1)
            }
            if generation == state.generation - 1, mark == state.usersMark {
                return .token(state.generation)
            }
            state.isEnded = true
            return .refused
        case .end:
            state.isEnded = true
            return .done
        case .isEnded: return .isEnded(state.isEnded)
        }
    }
}
