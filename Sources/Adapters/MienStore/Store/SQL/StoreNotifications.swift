internal import MienCore

/// A message from one server to all servers on the same database.
public enum StoreNotification: Sendable, Hashable {
    /// Was sent by a transaction, which has been committed.
    case sent(channel: StoreChannel, payload: String)
    /// Read everything that a notification would have announced. Sent once when listening begins,
    /// and again whenever notifications may have been missed, e.g. after the database was restarted.
    case resynchronize
}

/// The name of what notifications are about: 1–40 of `a-z` and `_`, such as `settings`.
public struct StoreChannel: Sendable, Hashable, ExpressibleByStringLiteral {
    public let name: String

    /// - Returns: `nil` if `name` is not such a name.
    public init?(_ name: String) {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard (1...40).contains(name.utf8.count),
            name.utf8.allSatisfy({ letters.contains($0) || $0 == UInt8(ascii: "_") })
        else { return nil }
        self.name = name
    }

    public init(stringLiteral name: String) { self.init(name)! }

    /// The maximum size of a payload in bytes. PostgreSQL accepts less than 8,000.
    public static let maxPayloadBytes = 7_900
}

/// Passes notifications on to the listeners of this process.
public final class NotificationHub: Sendable {
    private struct Listener {
        let channels: Set<StoreChannel>
        let continuation: AsyncStream<StoreNotification>.Continuation
        /// Whether notifications were dropped, because the listener is slow.
        var hasMissed = false
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var next = 0
        var isListening: Bool
        var isClosed = false

        mutating func yield(
            _ notification: StoreNotification, if concerns: (Set<StoreChannel>) -> Bool
        ) {
            for (number, listener) in listeners where concerns(listener.channels) {
                if listener.hasMissed {
                    listeners[number]?.hasMissed = false
                    listener.continuation.yield(.resynchronize)
                }
                if case .dropped = listener.continuation.yield(notification) {
                    listeners[number]?.hasMissed = true
                }
            }
        }
    }

    /// The number of notifications that wait for a listener. Older ones are dropped, and the
    /// listener gets ``StoreNotification/resynchronize``.
    static let maxWaiting = 1_000

    private let state: Locked<State>

    /// - Parameter isListening: Whether notifications arrive from the beginning.
    public init(isListening: Bool = false) { state = Locked(State(isListening: isListening)) }

    /// Returns the notifications on `channels`. The first one is `resynchronize`, once notifications
    /// arrive.
    public func listen(to channels: Set<StoreChannel>) -> AsyncStream<StoreNotification> {
        let (stream, continuation) = AsyncStream<StoreNotification>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.maxWaiting))
        let number = state.withLock { state -> Int? in
            if state.isClosed { return nil }
            state.next += 1
            state.listeners[state.next] = Listener(channels: channels, continuation: continuation)
            if state.isListening { continuation.yield(.resynchronize) }
            return state.next
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    public func send(_ payload: String, to channel: StoreChannel) {
        state.withLock {
            $0.yield(.sent(channel: channel, payload: payload)) { $0.contains(channel) }
        }
    }

    /// Notes whether notifications arrive. When they arrive again, listeners may have missed some.
    public func setListening(_ isListening: Bool) {
        state.withLock { state in
            if isListening, !state.isListening { state.yield(.resynchronize) { _ in true } }
            state.isListening = isListening
        }
    }

    /// Ends all streams.
    public func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            defer { state.listeners = [:] }
            return state.listeners.values.map(\.continuation)
        }
        for listener in listeners { listener.finish() }
    }
}
