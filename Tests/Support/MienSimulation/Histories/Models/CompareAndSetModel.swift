/// A record with a revision, which a writer must name: a journey's run.
public struct CompareAndSetModel: SequentialModel {
    public struct State: Hashable, Sendable {
        public var revision = 0
        /// Which of the writers wrote last; 0 is the first content.
        public var content = 0
    }

    public struct Call: Sendable, Hashable {
        public let record: String
        public let action: Action

        public init(_ record: String, _ action: Action) {
            (self.record, self.action) = (record, action)
        }
    }

    public enum Action: Sendable, Hashable {
        case read
        /// Writes `content` if the record still has `revision`.
        case write(content: Int, from: Int)
    }

    public enum Reply: Sendable, Hashable {
        case content(Int, revision: Int)
        case written
        /// Another writer came first.
        case stale
    }

    public init() {}

    public var initial: State { State() }

    public func key(of call: Call) -> String { call.record }

    public func apply(_ call: Call, to state: inout State) -> Reply {
        switch call.action {
        case .read: return .content(state.content, revision: state.revision)
        case .write(let content, let revision):
            guard revision == state.revision else { return .stale }
            state = State(revision: revision + 1, content: content)
            return .written
        }
    }
}
