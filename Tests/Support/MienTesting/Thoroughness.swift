import Foundation

/// How much of what can be tried tests try.
public enum Thoroughness {
    /// `scripts/prove` tries everything.
    private static let isWhole = ProcessInfo.processInfo.environment["MIEN_PROVE"] != nil

    /// Returns the distance between what is tried: each bit, or each call at which a disk fails.
    ///
    /// - Parameter step: Its distance in `make test`, one or more; in `make prove`, the distance is one.
    public static func step(_ step: Int) -> Int { isWhole ? 1 : step }
}
