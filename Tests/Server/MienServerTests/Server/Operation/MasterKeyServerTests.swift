import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Rotations of the master key of a real server, also when it is killed meanwhile.
@Suite("The master key of a running server", .enabled(if: Installed.isThere, Installed.reason))
struct MasterKeyServerTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test(
        "a rotation goes on after kill -9, and old keys are removed without losing people or tokens"
    )
    func killed() async throws {
        var server = try await AttackedServer.start(in: scratch)
        try await server.makeUser("ada")
        let refresh = try await server.signIn("ada").body["refresh_token"]?.stringValue
        for number in 0..<450 {
            _ = try await server.admin.createUser(UserRequest(username: "user\(number)"))
        }
        for pause in [0, 5, 15] {
            _ = try await server.admin.rotateMasterKey()
            try await Task.sleep(for: .milliseconds(pause))
            server.process.signal(SIGKILL)
            #expect(await server.process.ended() == -SIGKILL)
            server = try await AttackedServer.start(in: scratch, credential: server.credential)
            let running = server
            try await eventually {
                let answer = try await running.admin.masterKeys()
                return !answer.isSealing && answer.keys.dropLast().allSatisfy { $0.records == 0 }
            }
        }
        let tool = MienTool(in: scratch, data: scratch("data"), server: server)
        for version in 1...3 {
            let removed = try await tool.run("admin", "master-key", "remove", "\(version)")
            #expect(removed.status == 0, "\(removed.err)")
        }
        let answer = try await server.admin.masterKeys()
        #expect(answer.keys.map(\.version) == [4] && answer.keys[0].records > 450)
        #expect(await server.process.stop() == 0)

        server = try await AttackedServer.start(in: scratch, credential: server.credential)
        #expect(try await server.tokens.refresh(refresh).status == 200)
        _ = try await server.signIn("ada")
        #expect(try await server.admin.verifyAudit().isWhole)
        let events = Set(try await server.admin.audit(after: 450).items.map(\.event))
        #expect(events.isSuperset(of: ["master-key.rotated", "master-key.removed"]))
        #expect(await server.process.stop() == 0)
    }

    @Test("a key in use, an unknown key, and a malformed version are refused")
    func refusals() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let tool = MienTool(in: scratch, data: scratch("data"), server: server)
        func code(_ arguments: String) async throws -> String? {
            let ended = try await tool.run("admin", "master-key", "remove", arguments, "--json")
            #expect(ended.status == 2)
            return try JSONText.parse(ended.out)["error"]?["code"]?.stringValue
        }
        #expect(try await code("1") == "server.conflict")
        #expect(try await code("7") == "server.not-found")
        #expect(try await code("0") == "usage")
        let rotated = try await tool.run("admin", "master-key", "rotate", "--wait")
        #expect(rotated.status == 0 && rotated.out.contains("mien admin master-key remove 1"))
        #expect(await server.process.stop() == 0)
    }
}
