/// A limit that servers share: a bucket of tokens that refills at a steady rate. Written apart from
/// the statement that takes tokens in the database.
///
/// The servers' clocks may differ. A bucket is as full as the clock of the server that looks at it
/// says, so the time of each call is that server's. See ``RateBound`` for what that allows.
public struct TokenBucketModel: SequentialModel {
    public struct State: Hashable, Sendable {
        /// The time at which the bucket is full again, in microseconds.
        public var fullAt: Int64 = 0
    }

    public struct Call: Sendable, Hashable {
        public let bucket: String
        public let action: Action

        public init(_ bucket: String, _ action: Action) {
            (self.bucket, self.action) = (bucket, action)
        }
    }

    public enum Action: Sendable, Hashable {
        /// Takes a token, at this time of the server's clock in milliseconds.
        case take(at: Int64)
        /// A power loss undid what was not durable. The bucket is then full at this time, in
        /// microseconds.
        case restore(fullAt: Int64)
    }

    public enum Reply: Sendable, Hashable {
        case granted
        case refused
        case restored
    }

    /// The tokens of a full bucket.
    public let burst: Int
    public let intervalMicroseconds: Int64

    public init(burst: Int, intervalMicroseconds: Int64) {
        (self.burst, self.intervalMicroseconds) = (burst, intervalMicroseconds)
    }

    public var initial: State { State() }

    public func key(of call: Call) -> String { call.bucket }

    public func apply(_ call: Call, to state: inout State) -> Reply {
        switch call.action {
        case .take(let time):
            let now = time * 1000, missing = max(0, state.fullAt - now) + intervalMicroseconds
            guard missing <= Int64(burst) * intervalMicroseconds else { return .refused }
            state.fullAt = now + missing
            return .granted
        case .restore(let fullAt):
            state.fullAt = fullAt
            return .restored
        }
    }
}
