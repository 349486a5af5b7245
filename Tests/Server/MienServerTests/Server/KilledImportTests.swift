import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Kills a real server while `mien admin user import` fills it.
@Suite("An import, killed", .enabled(if: Installed.isThere, Installed.reason))
struct KilledImportTests {
    private static let people = 8 * PeopleRecords.maxRecords + 100

    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("an import that a killed server ended goes on where it was, and nobody is there twice")
    func killed() async throws {
        let file = scratch("people.jsonl")
        let lines = (0..<Self.people).map {
            JSONText.write(
                .object([
                    "external_id": .string("ext-\($0)"), "username": .string("person\($0)"),
                    "groups": ["staff"],
                    "password_hash":
                        "$2y$05$CCCCCCCCCCCCCCCCCCCCC.u880NXWiJEO95k1HUqtmBBEqnqSKqle",
                ]))
        }
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        var server = try await AttackedServer.start(in: scratch)
        let credential = server.credential
        for part in 1...2 {
            let running = server
            async let ended = Self.import(file, at: running, in: scratch)
            // A part is in, and others are on their way.
            let last = "person\(part * PeopleRecords.maxRecords - 1)"
            for _ in 0..<6000 {
                if try await running.admin.findUser(last) != nil { break }
                try await Task.sleep(for: .milliseconds(5))
            }
            running.process.signal(SIGKILL)
            #expect(await running.process.ended() == -SIGKILL)
            let failed = try await ended
            #expect(failed.status != 0 && !failed.err.isEmpty, "\(failed)")
            server = try await AttackedServer.start(in: scratch, credential: credential)
            let kept = try await Self.accounts(server)
            #expect(kept >= PeopleRecords.maxRecords && kept < Self.people)
            #expect(kept % PeopleRecords.maxRecords == 0, "\(kept)")
        }
        let kept = try await Self.accounts(server)
        let done = try await Self.import(file, at: server, in: scratch)
        #expect(done.status == 0, "\(done)")
        let answer = try JSONText.parse(Array(done.out.utf8))
        #expect(answer["created"]?.numberValue == Double(Self.people - kept), "\(answer)")
        #expect(answer["unchanged"]?.numberValue == Double(kept), "\(answer)")
        #expect(try await Self.accounts(server) == Self.people)
        let tokens = try await server.tokens.signIn(
            "person\(Self.people - 1)", password: AttackedServer.password)
        #expect(tokens.status == 200, "\(tokens.body)")
        #expect(await server.process.stop() == 0)
    }

    private static func `import`(
        _ file: URL, at server: AttackedServer, in scratch: ScratchFolder
    ) async throws -> ProgramRun {
        try await ProgramRun.run(
            ServeProcess.program, ["admin", "user", "import", file.path, "--json"],
            environment: [
                "MIEN_ADMIN_SERVER": server.adminAddress,
                "MIEN_ADMIN_CREDENTIAL": server.credential.use { $0 }, "HOME": scratch("home").path,
            ])
    }

    private static func accounts(_ server: AttackedServer) async throws -> Int {
        var users = 0, after: UserID?
        repeat {
            let page = try await server.admin.users(after: after)
            users += page.items.count
            after = page.next.flatMap { UserID($0) }
        } while after != nil
        return users
    }
}
