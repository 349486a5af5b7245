public import Foundation

/// A finished run of a program, with everything that it wrote.
public struct ProgramRun: Sendable {
    /// The exit code, or the negative number of the signal that ended the program.
    public let status: Int32
    public let out: String
    public let err: String

    /// Returns the program `name` that was built together with the running tests.
    ///
    /// It lies next to the test bundle, independent of the build's folder and configuration.
    public static func builtProgram(_ name: String) -> URL {
        let tests =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
        return URL(filePath: tests).deletingLastPathComponent().appending(path: name)
    }

    /// Runs a program and waits for its end.
    ///
    /// - Parameter input: What the program reads from standard input.
    public static func run(
        _ program: URL, _ arguments: [String], environment: [String: String], input: String = ""
    ) async throws -> ProgramRun {
        // Files instead of pipes, which would have to be read while the program runs.
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
        return ProgramRun(status: status, out: try text(out), err: try text(err))
    }
}
