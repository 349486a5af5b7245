import Foundation
import MienTesting

/// Runs `mien` commands against a server's data.
struct MienTool: Sendable {
    struct Ended: Sendable {
        let status: Int32
        let out, err: String
    }

    let folder: ScratchFolder
    let environment: [String: String]

    /// - Parameters:
    ///   - data: the server's data folder.
    ///   - server: the server, for commands of the admin API.
    init(in folder: ScratchFolder, data: URL, server: AttackedServer? = nil) {
        self.folder = folder
        var environment = [
            "HOME": folder("home").path, "MIEN_HOME": folder("home").path, "MIEN_DATA": data.path,
            "PATH": "/usr/bin:/bin",
        ]
        for name in ["LD_LIBRARY_PATH", "TMPDIR"] {
            environment[name] = ProcessInfo.processInfo.environment[name]
        }
        if let server {
            environment["MIEN_ADMIN_SERVER"] = server.adminAddress
            environment["MIEN_ADMIN_CREDENTIAL"] = server.credential.use { $0 }
        }
        self.environment = environment
    }

    func run(_ arguments: String..., input: String = "") async throws -> Ended {
        let name = UUID().uuidString, process = Process()
        let (out, err) = (
            try folder.write([], to: name + ".out"), try folder.write([], to: name + ".err")
        )
        process.executableURL = ServeProcess.program
        process.arguments = arguments
        process.environment = environment
        process.standardInput = try FileHandle(
            forReadingFrom: folder.write(Array(input.utf8), to: name + ".in"))
        process.standardOutput = try FileHandle(forWritingTo: out)
        process.standardError = try FileHandle(forWritingTo: err)
        let (ends, ended) = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in ended.finish() }
        try process.run()
        for await _ in ends {}
        func text(_ file: URL) throws -> String {
            String(decoding: try Data(contentsOf: file), as: UTF8.self)
        }
        return Ended(
            status: process.terminationStatus, out: try text(out), err: try text(err))
    }
}
