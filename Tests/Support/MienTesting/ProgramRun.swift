import Foundation
import MienCore

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

    /// Runs a program and waits for its end. No thread waits, so tests that need the same few
    /// threads go on.
    ///
    /// - Parameters:
    ///   - environment: By default, that of the tests.
    ///   - input: What the program reads from standard input.
    public static func run(
        _ program: URL, _ arguments: [String], environment: [String: String]? = nil,
        input: String = ""
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
        if let environment { process.environment = environment }
        process.standardInput = try FileHandle(forReadingFrom: typed)
        process.standardOutput = try FileHandle(forWritingTo: out)
        process.standardError = try FileHandle(forWritingTo: err)
        for await _ in try process.started() {}
        // A signal is not an exit code. Negative numbers cannot be mistaken for one.
        let status =
            process.terminationReason == .exit
            ? process.terminationStatus : -process.terminationStatus
        func text(_ file: URL) throws -> String {
            String(decoding: try Data(contentsOf: file), as: UTF8.self)
        }
        return ProgramRun(status: status, out: try text(out), err: try text(err))
    }

    /// A program that has to succeed failed.
    public struct Failed: Error {
        public let program: String
        public let run: ProgramRun
    }

    /// Runs a program of the machine, which has to succeed.
    ///
    /// - Parameter name: A path, or a name that is looked up on the PATH.
    /// - Returns: What it wrote to standard output.
    /// - Throws: ``Failed`` for another exit code than 0.
    @discardableResult
    public static func output(
        of name: String, _ arguments: [String], environment: [String: String]? = nil
    ) async throws -> String {
        let ended = try await run(
            URL(filePath: "/usr/bin/env"), [name] + arguments, environment: environment)
        guard ended.status == 0 else { throw Failed(program: name, run: ended) }
        return ended.out
    }
}

extension Process {
    /// Starts the program.
    ///
    /// - Returns: An empty sequence that ends with the program. Waiting for it holds no thread,
    ///   unlike `waitUntilExit()`, and may begin after the program has ended.
    public func started() throws -> AsyncStream<Void> {
        let (ends, ended) = AsyncStream<Void>.makeStream()
        terminationHandler = { _ in ended.finish() }
        try run()
        return ends
    }
}

extension FileHandle {
    /// Returns the first line of a program's output, without its end; the beginning of one if the
    /// output ends before. A thread of its own waits, not one of those that run tasks.
    public func firstLine() async throws -> String {
        try await WorkerThread.run(name: "test.line") {
            var line = Data()
            while !line.contains(10) {
                // Take what is available; read(upToCount:) would wait for the full count.
                let more = self.availableData
                if more.isEmpty { break }
                line += more
            }
            return String(decoding: line.prefix { $0 != 10 }, as: UTF8.self)
        }
    }
}
