import Foundation
import MienTesting
import Testing

/// Checks that the cost of parsing hostile text grows with its length, not with the square of it.
/// Counts instructions, because the count repeats even on a busy machine.
@Suite struct TextCostTests {
    private static let valgrind = found("valgrind"), strip = found("strip")

    private static func found(_ program: String) -> String? {
        ["/usr/bin/", "/usr/local/bin/"].map { $0 + program }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    /// The size is quadrupled, so quadratic cost would grow 16-fold.
    @Test(
        .enabled(
            if: valgrind != nil && strip != nil,
            "needs valgrind and strip: apt-get install valgrind binutils"),
        arguments: [
            "json-long-key", "json-many-keys", "json-value", "form-long-name", "form-many-names",
            "query-value", "user-name", "cbor-text",
        ])
    func `four times the text costs at most five times the instructions`(input: String) async throws
    {
        // Valgrind cannot read the debug information of Swift's debug builds.
        let scratch = try ScratchFolder(), program = scratch("mien-test-program").path
        let built = ProgramRun.builtProgram("mien-test-program")
        try await ProgramRun.output(
            of: try #require(Self.strip), ["--strip-debug", "-o", program, built.path])
        let once = try await Self.instructions(program, input, bytes: 14_336)
        let fourTimes = try await Self.instructions(program, input, bytes: 57_344)
        #expect(once > 0 && fourTimes <= 5 * once, "\(once) for 14 KiB, \(fourTimes) for 56 KiB")
        #expect(fourTimes < 2_000_000_000, "64 KiB of marks took 40 billion")
    }

    /// Counts only `cost(of:bytes:)` of the program, because those of its start differ each time.
    private static func instructions(_ program: String, _ input: String, bytes: Int) async throws
        -> Int
    {
        let said = try await ProgramRun.run(
            URL(filePath: try #require(valgrind)),
            [
                "--tool=callgrind", "--callgrind-out-file=/dev/null",
                "--toggle-collect=$s17mien_test_program4cost2of5bytesSiAA5InputO_SitF", program,
                "text-cost", input, "\(bytes)",
            ],
            environment: ProcessInfo.processInfo.environment.merging([
                "SWIFT_DETERMINISTIC_HASHING": "1"
            ]) { $1 }
        ).err
        let line = try #require(said.firstMatch(of: /Collected : (\d+)/), "\(said.suffix(500))")
        return try #require(Int(line.1))
    }
}
