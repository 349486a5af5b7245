internal import Synchronization

/// One at a time for each key; keys do not wait for one another. A key that nobody uses takes no
/// memory.
final class KeyedLocks<Key: Hashable & Sendable>: Sendable {
    /// Waiting behind the one at work; more are turned away.
    private static var maxWaiting: Int { 64 }

    private let waiting = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

    /// - Returns: `nil` when too many wait for the key already.
    func withLock<Output: Sendable>(_ key: Key, _ body: () async throws -> Output) async rethrows
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
                // Whoever held it may have gone in the meantime.
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
