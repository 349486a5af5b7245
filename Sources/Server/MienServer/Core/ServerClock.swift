internal import Foundation
public import MienCore

/// The source of the server's time. Tests control it.
public struct ServerClock: Sendable {
    private let read: @Sendable () -> Instant
    public init(_ read: @escaping @Sendable () -> Instant) { self.read = read }
    public var now: Instant { read() }

    public static let system = ServerClock {
        Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}
