import Foundation
import MienTesting
import Testing

/// The cost of reading hostile text grows with its length, not with the square of it. Counts instructions, which repeat on a busy machine as well.
@Suite struct TextCostTests {
    private static let valgrind = ["/usr/bin/valgrind", "/usr/local/bin/valgrind"].first { FileManager.default.isExecutableFile(atPath: $0) }

    /// The size doubles twice. Quadratic cost would grow 16-fold.
    @Test(
        .enabled(if: valgrind != nil, "needs valgrind, which scripts/setup does not install: apt-get install valgrind"),
        arguments: ["json-long-key", "json-many-keys", "json-value", "form-long-name", "form-many-names", "query-value", "user-name", "cbor-text"])
    func `four times the text costs at most five times the instructions`(input: String) throws {
        let none = try Self.instructions(input, bytes: 0)
        let once = try Self.instructions(input, bytes: 14_336) - none, fourTimes = try Self.instructions(input, bytes: 57_344) - none
        #expect(once > 0 && fourTimes <= 5 * once, "\(once) for 14 KiB, \(fourTimes) for 56 KiB")
        #expect(fourTimes < 2_000_000_000, "64 KiB of marks took 40 billion")
    }

    private static func instructions(_ input: String, bytes: Int) throws -> Int {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        let program = URL(filePath: tests).deletingLastPathComponent().appending(path: "mien-text-cost")
        // Valgrind 3.19, Debian 12's, cannot read the debug information that some linkers write; `strip` in turn cannot read what others do.
        let scratch = try ScratchFolder(), stripped = scratch("program").path, process = Process(), errors = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c", #"strip -o "$1" "$2" 2>/dev/null || cp "$2" "$1"; exec "$0" --tool=callgrind --callgrind-out-file=/dev/null "$1" "$3" "$4""#,
            try #require(valgrind),
            stripped, program.path, input, "\(bytes)",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, errors)
        try process.run()
        let said = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let line = try #require(said.firstMatch(of: /Collected : (\d+)/), "\(said.suffix(500))")
        return try #require(Int(line.1))
    }
}
