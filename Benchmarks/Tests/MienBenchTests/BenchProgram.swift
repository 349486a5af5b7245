import Foundation
import Testing

/// The `mien-bench` program that was built with these tests.
enum BenchProgram {
    /// The program next to the test bundle, independent of the build's folder and configuration.
    static let url: URL = {
        let tests =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "mien-bench")
    }()

    struct Result {
        let status: Int32
        let out: String
        let err: String

        /// The code in `{"error": {"code": …, "message": …}}`.
        var errorCode: String? {
            let object = try? JSONSerialization.jsonObject(with: Data(out.utf8)) as? [String: Any]
            return (object?["error"] as? [String: String])?["code"]
        }
    }

    /// Runs the program with an empty `MIEN_HOME`, and waits for it.
    static func run(_ arguments: [String]) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "mien-bench-test-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Files instead of pipes, which would have to be read while it runs.
        let (out, err) = (folder.appending(path: "out"), folder.appending(path: "err"))
        for file in [out, err] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("MIEN_")
        }.merging(["MIEN_HOME": folder.appending(path: "home").path]) { $1 }
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
        return Result(
            status: status, out: try String(contentsOf: out, encoding: .utf8),
            err: try String(contentsOf: err, encoding: .utf8))
    }
}
