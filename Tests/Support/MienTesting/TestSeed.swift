import Foundation
import MienCore

/// The seed of a test's synthetic input. It is the same in every run unless `MIEN_SEED=<number>`
/// sets another.
public enum TestSeed {
    public static let value =
        ProcessInfo.processInfo.environment["MIEN_SEED"].flatMap(UInt64.init) ?? 1

    /// Returns a generator with this run's seed. Tests that need independent numbers pass a
    /// `stream`.
    public static func generator(_ stream: UInt64 = 0) -> SeededGenerator {
        SeededGenerator(seed: value &* 1_000_003 &+ stream)
    }
}
