internal import MienCore

/// Tells a working thread that its result is no longer needed.
final class StopFlag: Sendable {
    private let value = Locked(false)

    var isSet: Bool { value.withLock { $0 } }

    func set() { value.withLock { $0 = true } }
}
