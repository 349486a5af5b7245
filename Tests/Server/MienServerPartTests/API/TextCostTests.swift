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

    private static let inputs = [
        "json-long-key", "json-many-keys", "json-value", "form-long-name", "form-many-names",
        "query-value", "user-name", "cbor-text",
    ]

    /// The size is quadrupled, so quadratic cost would grow 16-fold.
    @Test(
        .enabled(
            if: valgrind != nil && strip != nil,
            "needs valgrind and strip: apt-get install valgrind binutils"))
    func `four times the text costs at most five times the instructions`() async throws {
        let scratch = try ScratchFolder()
        let counts = try await Self.instructions(
            Self.inputs.flatMap { [($0, bytes: 14_336), ($0, bytes: 57_344)] }, scratch)
        for (number, input) in Self.inputs.enumerated() {
            let once = counts[2 * number], fourTimes = counts[2 * number + 1]
            #expect(
                once > 0 && fourTimes <= 5 * once,
                "\(input): \(once) for 14 KiB, \(fourTimes) for 56 KiB")
            #expect(fourTimes < 2_000_000_000, "\(input): 64 KiB of marks took 40 billion")
        }
    }

    /// Counts the instructions of each call of `cost(of:bytes:)` in one run of the program, whose start takes
    /// longer under Valgrind than all calls.
    private static func instructions(
        _ inputs: [(String, bytes: Int)], _ scratch: ScratchFolder
    ) async throws -> [Int] {
        // Valgrind cannot read the debug information of Swift's debug builds.
        let program = scratch("mien-test-program").path, counts = scratch("counts").path
        let built = ProgramRun.builtProgram("mien-test-program")
        try await ProgramRun.output(
            of: try #require(strip), ["--strip-debug", "-o", program, built.path])
        let function = "$s17mien_test_program4cost2of5bytesSiAA5InputO_SitF"
        let run = try await ProgramRun.run(
            URL(filePath: try #require(valgrind)),
            [
                "--tool=callgrind", "--callgrind-out-file=\(counts)",
                "--toggle-collect=\(function)", "--dump-after=\(function)", program, "text-cost",
            ] + inputs.flatMap { [$0, "\($1)"] },
            environment: ProcessInfo.processInfo.environment.merging([
                "SWIFT_DETERMINISTIC_HASHING": "1"
            ]) { $1 })
        return try inputs.indices.map { index in
            let part = try? String(contentsOfFile: "\(counts).\(index + 1)", encoding: .utf8)
            let line = try #require(
                part?.firstMatch(of: /totals: (\d+)/), "\(run.err.suffix(500))")
            return try #require(Int(line.1))
        }
    }
}
