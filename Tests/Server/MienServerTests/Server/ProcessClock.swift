import Foundation
import MienCore
import MienTesting
import Synchronization

/// The wall clock of a `mien serve` process. It stands still until a test advances it.
final class ProcessClock: Sendable {
    private static let library = TestLibrary.clock

    private let file: URL
    private let time: Mutex<Instant>

    init(in folder: ScratchFolder, at start: Instant = Instant(milliseconds: 1_800_000_000_000))
        throws
    {
        file = try folder.write(Self.bytes(start), to: "clock")
        time = Mutex(start)
    }

    /// Returns a clock that stands still at the machine's present time, for clients that have no
    /// other.
    static func ofToday(in folder: ScratchFolder) throws -> ProcessClock {
        try ProcessClock(
            in: folder, at: Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
    }

    var now: Instant { time.withLock { $0 } }

    /// The process reads the new time from its next look at the clock.
    func advance(_ duration: Duration) throws {
        try time.withLock {
            $0 = $0 + duration
            // Overwrite in place, because the process has mapped this file.
            let handle = try FileHandle(forWritingTo: file)
            try handle.write(contentsOf: Data(Self.bytes($0)))
            try handle.close()
        }
    }

    var environment: [String: String] {
        ["LD_PRELOAD": Self.library.path, "TEST_CLOCK": file.path]
    }

    private static func bytes(_ instant: Instant) -> [UInt8] {
        withUnsafeBytes(of: instant.milliseconds) { Array($0) }
    }
}
