internal import Foundation
public import MienFace

/// The seed of a test's made-up input: the same in every run, unless `MIEN_SEED=<number>` asks for
/// another.
public enum TestSeed {
    public static let value =
        ProcessInfo.processInfo.environment["MIEN_SEED"].flatMap(UInt64.init) ?? 1

    /// Numbers of this run's seed; tests that want their own name a `stream`.
    public static func generator(_ stream: UInt64 = 0) -> SeededGenerator {
        SeededGenerator(seed: value &* 1_000_003 &+ stream)
    }
}
