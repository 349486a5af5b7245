import Foundation

/// A random generator with the same numbers in every run, unless `MIEN_SEED=<number>` selects
/// others.
struct Chance: RandomNumberGenerator {
    static let seed = ProcessInfo.processInfo.environment["MIEN_SEED"].flatMap(UInt64.init) ?? 1

    private var state: UInt64

    init(_ stream: UInt64) { state = Self.seed &* 1_000_003 &+ stream }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
