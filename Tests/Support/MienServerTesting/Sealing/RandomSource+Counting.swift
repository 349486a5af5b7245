import MienVault
import Synchronization

extension RandomSource {
    /// Returns bytes that never repeat and are the same in every run.
    package static func counting() -> RandomSource {
        let calls = Counter()
        return RandomSource { count in
            let call = calls.next()
            return (0..<count).map {
                $0 < 8 ? UInt8(truncatingIfNeeded: call >> (8 * UInt64($0))) : UInt8($0)
            }
        }
    }
}

private final class Counter: Sendable {
    private let value = Mutex<UInt64>(0)

    func next() -> UInt64 {
        value.withLock { value in
            value += 1
            return value
        }
    }
}
