import Foundation

// The module that has `timespec` in this toolchain, among those that other packages import.
#if canImport(CDispatch)
import CDispatch
#endif
#if canImport(CoreFoundation)
import CoreFoundation
#endif

/// Measures processor time of the calling thread and wall-clock time. A busy machine distorts
/// processor time much less.
struct Stopwatch {
    struct Reading: Encodable, Sendable {
        var wallMilliseconds: Double
        var cpuMilliseconds: Double
    }

    private let wall = ContinuousClock.now
    private let cpu = Self.threadMilliseconds()

    /// Time since this stopwatch was made. Read it on the same thread.
    var reading: Reading {
        Reading(
            wallMilliseconds: (ContinuousClock.now - wall) / .milliseconds(1),
            cpuMilliseconds: Self.threadMilliseconds() - cpu)
    }

    /// Runs `body` once unmeasured, then `repeats` times.
    static func measure(_ repeats: Int, _ body: () throws -> Void) rethrows -> Summary {
        try body()
        return Summary(
            try (0..<repeats).map { _ in
                let watch = Stopwatch()
                try body()
                return watch.reading
            })
    }

    /// The median and the minimum of several readings. Outside noise can only increase the minimum.
    struct Summary: Encodable, Sendable {
        let median: Reading
        let least: Reading

        init(_ readings: [Reading]) {
            let walls = readings.map(\.wallMilliseconds).sorted(),
                cpus = readings.map(\.cpuMilliseconds).sorted()
            median = Reading(
                wallMilliseconds: walls[walls.count / 2], cpuMilliseconds: cpus[cpus.count / 2])
            least = Reading(wallMilliseconds: walls[0], cpuMilliseconds: cpus[0])
        }
    }

    private static func threadMilliseconds() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
    }
}
