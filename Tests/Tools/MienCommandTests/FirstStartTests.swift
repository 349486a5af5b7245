import Foundation
import MienTesting
import Testing

/// The instructions that the first start of a server prints.
@Suite struct FirstStartTests {
    @Test(.needsPack)
    func `the printed commands work as they are, once the printed credential is pasted`()
        async throws
    {
        let home = try TemporaryHome()
        try await ServerProcess.run(in: home) { server in
            let start = try #require(server.out.firstRange(of: "To try it with photos only"))
            let commands = server.out[start.lowerBound...].split(separator: "\n").dropFirst()
                .prefix { $0.hasPrefix("  ") }
            try #require(commands.count == 2, "\(server.out)")
            let path = MienProgram.url.deletingLastPathComponent().path
            let shell = try await ProgramRun.run(
                URL(filePath: "/bin/bash"), ["-c", commands.joined(separator: "\n")],
                environment: home.environment(
                    temporary: home.files,
                    ["PATH": "\(path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")"]
                ),
                input: "\(server.credential)\n")
            #expect(shell.status == 0, "\(shell)")
            let app = try await home.mien(
                [
                    "admin", "app", "show", "default_application", "--json", "--server",
                    server.adminAddress,
                ], settings: ["MIEN_ADMIN_CREDENTIAL": server.credential]
            ).json
            let settings = try #require(app["settings"] as? [String: Any])
            #expect((settings["liveness"] as? [String: Any])?["mode"] as? String == "image")
        }
    }
}
