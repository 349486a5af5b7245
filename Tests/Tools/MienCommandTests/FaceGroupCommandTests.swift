import Foundation
import MienTesting
import Testing

/// `mien admin face-group` against a server.
@Suite struct FaceGroupCommandTests {
    @Test(.needsPack)
    func `apps share faces, come, and leave, and a group is deleted only with --yes`()
        async throws
    {
        let home = try TemporaryHome()
        try await ServerProcess.run(in: home) { server in
            let settings = [
                "MIEN_ADMIN_SERVER": server.adminAddress,
                "MIEN_ADMIN_CREDENTIAL": server.credential,
            ]
            func mien(_ arguments: String...) async throws -> MienProgram.Result {
                try await home.mien(["admin"] + arguments + ["--json"], settings: settings)
            }
            func answer(_ result: MienProgram.Result) throws -> [String: Any] {
                try #require(result.status == 0, "\(result)")
                return try #require(
                    try JSONSerialization.jsonObject(with: Data(result.out.utf8)) as? [String: Any])
            }
            for app in ["shop", "bank", "chat"] {
                #expect(try await mien("app", "create", app, "--id", app).status == 0)
            }
            let made = try answer(
                await mien("face-group", "create", "Office", "--app", "shop", "--app", "bank"))
            let id = try #require(made["id"] as? String)
            #expect(
                made["app_ids"] as? [String] == ["bank", "shop"] && made["max_age"] as? Int == 300)
            let taken = try await mien("face-group", "create", "Other", "--app", "shop")
            #expect(
                taken.status != 0 && taken.err.contains("which is in the group \(id)"), "\(taken)")
            let changed = try answer(
                await mien(
                    "face-group", "set", id, "--add", "chat", "--remove", "shop", "--max-age", "0"))
            #expect(changed["app_ids"] as? [String] == ["bank", "chat"])
            #expect(changed["max_age"] as? Int == 0 && changed["version"] as? Int == 2)
            #expect(try answer(await mien("face-group", "show", id))["name"] as? String == "Office")
            let refused = try await mien("face-group", "delete", id)
            #expect(try refused.error.code == "face-group.unconfirmed", "\(refused)")
            #expect(try await mien("face-group", "set", id).status == 2, "nothing to change")
            #expect(try await mien("face-group", "delete", id, "--yes").status == 0)
            let left = try answer(await mien("face-group", "list"))["groups"] as? [Any]
            #expect(left?.isEmpty == true)
        }
    }
}
