import Foundation
import MienTesting
import Testing

/// The `mien` program that was built with these tests, run in the same way as by people and
/// scripts.
enum MienProgram {
    static let url = ProgramRun.builtProgram("mien")

    struct Result {
        let status: Int32
        let out: String
        let err: String

        /// Standard output as one JSON object.
        var json: [String: Any] {
            get throws {
                try #require(
                    try JSONSerialization.jsonObject(with: Data(out.utf8)) as? [String: Any],
                    "not an object: \(out)")
            }
        }

        /// `{"error": {"code": …, "message": …}}` and nothing else.
        var error: (code: String, message: String) {
            get throws {
                let object = try json
                #expect(object.keys.sorted() == ["error"])
                let error = try #require(object["error"] as? [String: String])
                #expect(error.keys.sorted() == ["code", "message"])
                return (try #require(error["code"]), try #require(error["message"]))
            }
        }
    }

    /// Runs the program and waits for it. It must never print control sequences, because neither
    /// standard output nor standard error is a terminal.
    ///
    /// - Parameter wrapper: A program and its arguments that runs `mien`, such as a tracer.
    static func run(
        under wrapper: [String] = [], _ arguments: [String], environment: [String: String],
        input: String = "", at location: SourceLocation
    ) async throws -> Result {
        let program = url
        #expect(
            FileManager.default.isExecutableFile(atPath: program.path),
            "\(program.path) has not been built", sourceLocation: location)
        await ProcessSlots.shared.take()
        let result: Result
        do {
            let words = wrapper + [program.path] + arguments
            let ended = try await ProgramRun.run(
                URL(filePath: words[0]), Array(words.dropFirst()), environment: environment,
                input: input)
            result = Result(status: ended.status, out: ended.out, err: ended.err)
            await ProcessSlots.shared.giveBack()
        } catch {
            await ProcessSlots.shared.giveBack()
            throw error
        }
        for text in [result.out, result.err] {
            #expect(
                !text.contains("\u{1B}") && !text.utf8.contains(UInt8(ascii: "\r")),
                "control sequences were printed", sourceLocation: location)
        }
        #expect(
            (0...3).contains(result.status), "\(arguments): \(result.err)", sourceLocation: location
        )
        return result
    }
}

/// Limits concurrent runs to the number of cores, because each run loads networks.
private actor ProcessSlots {
    static let shared = ProcessSlots()

    private var free = max(2, ProcessInfo.processInfo.activeProcessorCount)
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take() async {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    }

    func giveBack() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
