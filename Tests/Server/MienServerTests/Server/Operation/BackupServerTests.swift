import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Backups and restores of a real server, as an operator makes them.
@Suite("Backups of a running server", .enabled(if: Installed.isThere, Installed.reason))
struct BackupServerTests {
    private static let passphrase = "an operator's passphrase\n"

    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func users(_ server: AttackedServer) async throws -> [String: String?] {
        var found: [String: String?] = [:], after: UserID?
        repeat {
            let page = try await server.admin.users(after: after)
            for user in page.items { found[user.id] = .some(user.username) }
            after = page.next.flatMap { UserID($0) }
        } while after != nil
        return found
    }

    @Test(
        "a backup made while users are created restores people, tokens, and an intact audit log"
    )
    func rehearsal() async throws {
        let server = try await AttackedServer.start(in: scratch)
        try await server.makeUser("ada")
        let signedIn = try await server.signIn("ada")
        let refresh = signedIn.body["refresh_token"]?.stringValue
        let before = try await users(server)
        let tool = MienTool(in: scratch, data: scratch("data"), server: server)

        let writing = Task {
            var made = 0
            while !Task.isCancelled {
                _ = try await server.admin.createUser(UserRequest(username: "during\(made)"))
                made += 1
            }
            return made
        }
        let backup = try await tool.run(
            "backup", scratch("backup").path, "--passphrase-stdin", "--json",
            input: Self.passphrase)
        writing.cancel()
        _ = try? await writing.value
        try #require(backup.status == 0, "\(backup.err)")
        let said = try JSONText.parse(backup.out)
        let number = try #require(said["audit"]?["number"]?.numberValue.map { Int($0) })
        #expect(
            try await server.admin.audit(after: number - 1).items.first?.hash
                == said["audit"]?["hash"]?.stringValue)
        let after = try await users(server)
        let metrics = try await server.tokens.send(.get, "/metrics", [:])
        #expect(metrics.status == 200)
        #expect(await server.process.stop() == 0)

        let restored = try await tool.run(
            "restore", scratch("backup").path, "--to", scratch("restored").path,
            "--passphrase-stdin", input: Self.passphrase)
        try #require(restored.status == 0, "\(restored.err)")
        let again = try await AttackedServer.start(
            in: scratch, ["MIEN_DATA": scratch("restored").path], credential: server.credential)
        let found = try await users(again)
        #expect(before.allSatisfy { found[$0.key] == $0.value })
        #expect(found.allSatisfy { after[$0.key] == $0.value })
        let verdict = try await again.admin.verifyAudit()
        #expect(verdict.isWhole && verdict.entries ?? 0 >= number)
        #expect(
            try await again.admin.audit(after: number - 1).items.first?.hash
                == said["audit"]?["hash"]?.stringValue)
        // The password, and the token from before the backup.
        _ = try await again.signIn("ada")
        let refreshed = try await again.tokens.refresh(refresh)
        #expect(refreshed.status == 200, "\(refreshed.body)")
        #expect(await again.process.stop() == 0)
    }

    @Test("wrong passphrases, existing folders, and copies without the log end with their codes")
    func refusals() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let tool = MienTool(in: scratch, data: scratch("data"))
        func code(_ ended: ProgramRun) throws -> String? {
            #expect(ended.status == 2, "\(ended.err)")
            return try JSONText.parse(ended.out)["error"]?["code"]?.stringValue
        }
        let pass = try scratch.write(Array(Self.passphrase.utf8), to: "pass")
        #expect(
            try await code(
                tool.run("backup", scratch("b").path, "--passphrase-file", pass.path, "--json"))
                == "backup.passphrase-file")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: pass.path)
        #expect(
            try await code(
                tool.run(
                    "backup", scratch("b").path, "--passphrase-stdin", "--json", input: "short\n"))
                == "backup.short-passphrase")
        let made = try await tool.run("backup", scratch("b").path, "--passphrase-file", pass.path)
        #expect(made.status == 0, "\(made.err)")
        #expect(
            try await code(
                tool.run("backup", scratch("b").path, "--passphrase-file", pass.path, "--json"))
                == "backup.exists")
        #expect(
            try await code(
                tool.run(
                    "restore", scratch("b").path, "--check", "--passphrase-stdin", "--json",
                    input: "not the passphrase\n")) == "backup.passphrase")
        #expect(
            try await tool.run(
                "restore", scratch("b").path, "--check", "--passphrase-file", pass.path
            )
            .status == 0)

        // What people do instead of a backup.
        let copy = scratch("copy")
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: copy.path)
        for name in ["mien.sqlite", "master.key"] {
            try FileManager.default.copyItem(
                at: scratch("data/" + name), to: copy.appending(path: name))
        }
        #expect(await server.process.stop() == 0)
        do {
            _ = try await ServeProcess.start(in: scratch, ["MIEN_DATA": copy.path])
            Issue.record("a database without its log is served")
        } catch let error as ServeProcess.NotListening {
            #expect(error.status == 3 && error.err.contains("without its write-ahead log"))
            #expect(error.err.contains("--accept-lost-writes"))
        }
        let accepted = try await ServeProcess.start(
            in: scratch, ["MIEN_DATA": copy.path], arguments: ["--accept-lost-writes"])
        let events = try await accepted.admin(server.credential).audit(after: 0).items.map(\.event)
        #expect(events.contains("server.loss-accepted"))
        #expect(await accepted.stop() == 0)
        let later = try await ServeProcess.start(in: scratch, ["MIEN_DATA": copy.path])
        #expect(await later.stop() == 0)
    }
}
