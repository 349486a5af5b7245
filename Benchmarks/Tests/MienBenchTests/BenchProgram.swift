import Foundation
import MienTesting

/// The `mien-bench` program that was built with these tests.
enum BenchProgram {
    static let url = ProgramRun.builtProgram("mien-bench")

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

    /// Runs the program, and waits for it.
    ///
    /// - Parameter home: its `MIEN_HOME`; an empty folder by default.
    static func run(_ arguments: [String], home: URL? = nil) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "mien-bench-test-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("MIEN_")
        }.merging(["MIEN_HOME": (home ?? folder.appending(path: "home")).path]) { $1 }
        let ended = try await ProgramRun.run(url, arguments, environment: environment)
        return Result(status: ended.status, out: ended.out, err: ended.err)
    }
}
