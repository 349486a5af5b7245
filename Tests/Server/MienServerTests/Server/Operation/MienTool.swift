import Foundation
import MienTesting

/// Runs `mien` commands against a server's data.
struct MienTool: Sendable {
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

    func run(_ arguments: String..., input: String = "") async throws -> ProgramRun {
        try await ProgramRun.run(
            ServeProcess.program, arguments, environment: environment, input: input)
    }
}
