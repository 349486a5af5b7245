import Foundation
import MienTesting
import Testing

/// A test's own `mien serve`, with fresh data and a free port of this machine.
enum ServerProcess {
    struct Running: Sendable {
        let address: String
        let adminAddress: String
        let credential: String
        /// The output until the server was ready.
        let out: String
        /// The number of the process.
        let process: Int32
    }

    /// Starts the server, waits until it accepts connections, and ends it after `body`.
    ///
    /// - Parameters:
    ///   - settings: Additional settings, as environment variables.
    ///   - credential: The one that the first server of this home printed, for a further one.
    static func run(
        in home: TemporaryHome, settings: [String: String] = [:], credential: String? = nil,
        _ body: (Running) async throws -> Void
    ) async throws {
        let folder = home.files.appending(path: "server", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (out, err) = (folder.appending(path: "out"), folder.appending(path: "err"))
        for file in [out, err] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = MienProgram.url
        process.arguments = ["serve"]
        process.environment = home.environment(
            temporary: folder,
            [
                "MIEN_DATA": folder.appending(path: "data").path, "MIEN_PORT": "0",
                "MIEN_ADMIN_LISTEN": "127.0.0.1:0", "MIEN_LOG_LEVEL": "error",
                // One client at a time; a second worker loads its own networks.
                "MIEN_FACE_PRECISION": "f32", "MIEN_FACE_WORKERS": "1",
                "MIEN_FACE_CACHE": home.mienHome.appending(path: "cache/networks").path,
            ].merging(settings) { $1 })
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: out)
        process.standardError = try FileHandle(forWritingTo: err)
        let ends = try process.started()
        do {
            try await body(listening(process, credential, out, err))
        } catch {
            process.terminate()
            for await _ in ends {}
            throw error
        }
        process.terminate()
        for await _ in ends {}
        #expect(process.terminationStatus == 0, "the server did not end gracefully")
    }

    private static func listening(
        _ process: Process, _ known: String?, _ out: URL, _ err: URL
    ) async throws -> Running {
        func text(_ file: URL) throws -> String {
            String(decoding: try Data(contentsOf: file), as: UTF8.self)
        }
        let deadline = ContinuousClock.now + .seconds(120)
        while process.isRunning, ContinuousClock.now < deadline {
            let said = try text(out)
            if let address = said.firstMatch(of: /Listening on (\S+)\n/),
                let admin = said.firstMatch(of: /Admin API on (\S+)\n/),
                let credential = known
                    ?? said.firstMatch(of: /\n\s+(adm_\S+)\n/).map({ String($0.1) })
            {
                return Running(
                    address: String(address.1), adminAddress: String(admin.1),
                    credential: credential, out: said,
                    process: process.processIdentifier)
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw NotListening(out: try text(out), err: try text(err))
    }

    private struct NotListening: Error {
        let out, err: String
    }
}
