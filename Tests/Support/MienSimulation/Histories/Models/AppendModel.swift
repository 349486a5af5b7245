/// A log to which entries are only appended: the audit log.
public struct AppendModel: SequentialModel {
    /// The number of entries, and a digest of all of them in their order.
    public struct State: Hashable, Sendable {
        public private(set) var count = 0
        public private(set) var digest: UInt64 = 0xcbf2_9ce4_8422_2325

        public init() {}

        /// The state of a log with these entries.
        public init(_ entries: some Sequence<UInt64>) {
            for entry in entries { append(entry) }
        }

        /// FNV-1a over the entry's bytes, from the digest before.
        public mutating func append(_ entry: UInt64) {
            count += 1
            for shift in stride(from: 0, to: 64, by: 8) {
                digest = (digest ^ (entry >> UInt64(shift) & 0xff)) &* 0x100_0000_01b3
            }
        }
    }

    public enum Call: Sendable, Hashable {
        /// Appends an entry. Each has a number of its own.
        case append(UInt64)
        case read
    }

    public enum Reply: Sendable, Hashable {
        /// The entry was appended; the client did not learn where.
        case appended
        /// The entry was appended as the one with this number, from 1.
        case number(Int)
        /// The log as it was read.
        case log(State)
    }

    public init() {}

    public var initial: State { State() }

    /// There is one log.
    public func key(of call: Call) -> String { "log" }

    public func apply(_ call: Call, to state: inout State) -> Reply {
        switch call {
        case .append(let entry):
            state.append(entry)
            return .number(state.count)
        case .read: return .log(state)
        }
    }

    public func allows(_ observed: Reply, for actual: Reply) -> Bool {
        if case (.appended, .number) = (observed, actual) { return true }
        return observed == actual
    }
}
