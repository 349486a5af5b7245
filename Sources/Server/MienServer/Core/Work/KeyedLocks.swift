internal import Synchronization

/// Locks by key: one holder at a time for each key, and keys do not wait for one another. An unused
/// key takes no memory.
package final class KeyedLocks<Key: Hashable & Sendable>: Sendable {
    /// The maximum number of waiters per key. Further ones are turned away.
    private static var maxWaiting: Int { 64 }

    private let waiting = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

    package init() {}

    /// - Returns: `nil` if too many callers already wait for the key.
    package func withLock<Output: Sendable>(_ key: Key, _ body: () async throws -> Output)
        async rethrows
        -> Output?
    {
        let isTaken = waiting.withLock { waiting -> Bool? in
            guard let line = waiting[key] else {
                waiting[key] = []
                return false
            }
            return line.count >= Self.maxWaiting ? nil : true
        }
        guard let isTaken else { return nil }
        if isTaken { await turn(key) }
        defer { next(key) }
        return try await body()
    }

    private func turn(_ key: Key) async {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting -> Bool in
                // The holder may have released the key in the meantime.
                guard waiting[key] != nil else {
                    waiting[key] = []
                    return true
                }
                waiting[key]!.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func next(_ key: Key) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard var line = waiting[key], !line.isEmpty else {
                waiting[key] = nil
                return nil
            }
            let first = line.removeFirst()
            waiting[key] = line
            return first
        }
        next?.resume()
    }
}
