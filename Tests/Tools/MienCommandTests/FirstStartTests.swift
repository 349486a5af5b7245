import Foundation
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
            let shell = Process(), input = Pipe(), output = Pipe()
            shell.executableURL = URL(filePath: "/bin/bash")
            shell.arguments = ["-c", commands.joined(separator: "\n")]
            let path = MienProgram.url.deletingLastPathComponent().path
            shell.environment = home.environment(
                temporary: home.files,
                ["PATH": "\(path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")"])
            shell.standardInput = input
            shell.standardOutput = output
            shell.standardError = output
            try shell.run()
            try input.fileHandleForWriting.write(contentsOf: Data("\(server.credential)\n".utf8))
            try input.fileHandleForWriting.close()
            let said = String(
                decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            shell.waitUntilExit()
            #expect(shell.terminationStatus == 0, "\(said)")
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
