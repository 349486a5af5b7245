/// A live capture: one server has its session, and only that one ends it, unless it is dead.
///
/// Records only calls that may have taken effect: of two servers that write at once, one is refused
/// and has changed nothing.
public struct LiveCaptureModel: SequentialModel {
    public enum State: Hashable, Sendable {
        case open
        /// A server has this session.
        case live(Int)
        /// The server of the session was lost.
        case interrupted(Int)
        case ended(by: Int)
    }

    public struct Call: Sendable, Hashable {
        public let capture: String
        public let action: Action

        public init(_ capture: String, _ action: Action) {
            (self.capture, self.action) = (capture, action)
        }
    }

    public enum Action: Sendable, Hashable {
        /// A server begins a session. Each has a number of its own.
        case begin(Int)
        /// The server of a session ends it.
        case end(Int)
        /// Another server, or the next process of the same one, notes that the session is lost.
        case interrupt
        /// A server without the session notes that its time is over.
        case expire
        /// The capture can begin again.
        case reopen
        /// Asks whether the capture has not ended: it is live, or can begin.
        case isOpen
    }

    public enum Reply: Sendable, Hashable {
        case done
        /// The state does not allow it.
        case refused
        case isOpen(Bool)
    }

    public init() {}

    public var initial: State { .open }

    public func key(of call: Call) -> String { call.capture }

    public func apply(_ call: Call, to state: inout State) -> Reply {
        switch (call.action, state) {
        case (.begin(let session), .open): state = .live(session)
        case (.end(let session), .live(let current)) where session == current:
            state = .ended(by: session)
        case (.expire, .live(let session)): state = .ended(by: session)
        case (.interrupt, .live(let session)): state = .interrupted(session)
        case (.reopen, .interrupted): state = .open
        case (.isOpen, .open), (.isOpen, .live): return .isOpen(true)
        case (.isOpen, .interrupted), (.isOpen, .ended): return .isOpen(false)
        case (.begin, _), (.end, _), (.expire, _), (.interrupt, _), (.reopen, _): return .refused
        }
        return .done
    }
}
