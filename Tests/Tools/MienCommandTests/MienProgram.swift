import Foundation
import Testing

/// The `mien` program that was built with these tests, run in the same way as by people and
/// scripts.
enum MienProgram {
    /// The program next to the test bundle, independent of the build's folder and configuration.
    static let url: URL = {
        let tests =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "mien")
    }()

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
    static func run(
        _ arguments: [String], environment: [String: String], input: String = "",
        at location: SourceLocation
    ) async throws -> Result {
        let program = url
        #expect(
            FileManager.default.isExecutableFile(atPath: program.path),
            "\(program.path) has not been built", sourceLocation: location)
        await ProcessSlots.shared.take()
        let result: Result
        do {
            result = try await start(program, arguments, environment, input)
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

    private static func start(
        _ program: URL, _ arguments: [String], _ environment: [String: String], _ input: String
    ) async throws -> Result {
        // Files instead of pipes, which would have to be read while it runs.
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "mien-run-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (out, err) = (folder.appending(path: "out"), folder.appending(path: "err"))
        for file in [out, err] { try Data().write(to: file) }
        let typed = folder.appending(path: "in")
        try Data(input.utf8).write(to: typed)
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = environment
        process.standardInput = try FileHandle(forReadingFrom: typed)
        process.standardOutput = try FileHandle(forWritingTo: out)
        process.standardError = try FileHandle(forWritingTo: err)
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { ended in
                // A signal is not an exit code. Negative numbers cannot be mistaken for one.
                continuation.resume(
                    returning: ended.terminationReason == .exit
                        ? ended.terminationStatus : -ended.terminationStatus)
            }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        func text(_ file: URL) throws -> String {
            String(decoding: try Data(contentsOf: file), as: UTF8.self)
        }
        return Result(status: status, out: try text(out), err: try text(err))
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
