import Foundation
import MienAPI
import MienCore
import MienIdentity
import MienTesting
import Testing

@testable import mien

/// `mien admin registry` and `mien admin verification` against a server.
@Suite struct IdentityCommandTests {
    private static let header =
        "id,first_name,last_name,address,postal_code,country,date_of_birth,deceased\n"

    private static func row(_ id: Int, code: String = "30318") -> String {
        "\(id),Ada,\"Love\"\"lock, Jr\",\(id) Main Street,\(code),US,1985-12-10,\n"
    }

    @Test(.needsPack) func `a registry is imported in parts, replaced, and refused by row`()
        async throws
    {
        let home = try TemporaryHome()
        try await ServerProcess.run(in: home) { server in
            let settings = [
                "MIEN_ADMIN_SERVER": server.adminAddress,
                "MIEN_ADMIN_CREDENTIAL": server.credential,
            ]
            func mien(_ arguments: String...) async throws -> MienProgram.Result {
                try await home.mien(arguments, settings: settings)
            }
            let rows = (1...5200).map { Self.row($0) }.joined()
            let file = try home.write((Self.header + rows).utf8, as: "people.csv")
            let imported = try await mien("admin", "registry", "import", file, "--json")
            #expect(
                try imported.status == 0 && imported.json["imported"] as? Int == 5200,
                "\(imported)")
            let bad = try home.write(
                (Self.header + rows + Self.row(5201) + Self.row(5202, code: "X")).utf8,
                as: "bad.csv")
            let refused = try await mien("admin", "registry", "import", bad, "--json")
            #expect(
                try refused.status == 2 && refused.error.code == "registry.row"
                    && refused.err.contains("line 5203: postalCode is not a postal code of US"),
                "\(refused)")
            #expect(!refused.err.contains("Love"))
            let torn = try home.write((Self.header + "1,\"Ada").utf8, as: "torn.csv")
            let malformed = try await mien("admin", "registry", "import", torn, "--json")
            #expect(
                try malformed.status == 2 && malformed.error.code == "registry.file"
                    && malformed.err.contains("line 2"), "\(malformed)")
            let missing = try await mien("admin", "registry", "import", "none.csv", "--json")
            #expect(try missing.status == 2 && missing.error.code == "registry.file")

            let fewer = try home.write((Self.header + Self.row(7)).utf8, as: "fewer.csv")
            try await Task.sleep(for: .milliseconds(20))
            let replaced = try await mien("admin", "registry", "import", fewer, "--replace")
            #expect(
                replaced.out == "Imported 1 person and removed 5,199.\n", "\(replaced)")
            let status = try await mien("admin", "registry", "status")
            #expect(status.out == "The registry has 1 person.\n")
        }
    }

    @Test(.needsPack) func `a file in Windows-1252 is imported where that is stated`() async throws
    {
        let home = try TemporaryHome()
        try await ServerProcess.run(in: home) { server in
            let settings = [
                "MIEN_ADMIN_SERVER": server.adminAddress,
                "MIEN_ADMIN_CREDENTIAL": server.credential,
            ]
            let bytes: [UInt8] =
                Array("\(Self.header)1,Zo".utf8) + [0xEB]
                + Array(",Moss,1 Main Street,30318,US,1985-12-10,\n\(Self.row(2))".utf8)
            let file = try home.write(bytes, as: "people.csv")
            let refused = try await home.mien(
                ["admin", "registry", "import", file], settings: settings)
            #expect(
                refused.status == 2
                    && refused.err.contains("line 2: column 2 is not UTF-8")
                    && refused.err.contains("--encoding windows-1252"), "\(refused)")
            let arguments = ["admin", "registry", "import", file, "--encoding", "windows-1252"]
            let imported = try await home.mien(arguments, settings: settings)
            #expect(
                imported.status == 0 && imported.out.hasPrefix("Imported 2 people.\n")
                    && imported.out.contains("1 row has letters beyond ASCII: ë\n"), "\(imported)")
            let again = try await home.mien(arguments + ["--json"], settings: settings)
            #expect(
                try again.json["imported"] as? Int == 2 && again.json["letters"] as? String == "ë"
                    && again.json["rows_beyond_ascii"] as? Int == 1, "\(again)")
        }
    }

    @Test(.needsPack) func `verifications are listed, reset, and required from the command line`()
        async throws
    {
        let home = try TemporaryHome()
        try await ServerProcess.run(in: home) { server in
            let settings = [
                "MIEN_ADMIN_SERVER": server.adminAddress,
                "MIEN_ADMIN_CREDENTIAL": server.credential,
            ]
            func mien(_ arguments: String...) async throws -> MienProgram.Result {
                try await home.mien(arguments, settings: settings)
            }
            #expect(
                try await mien("admin", "user", "create", "--username", "ada").status == 0)
            #expect(
                try await mien("admin", "verification", "documents").out
                    == "The server reads no documents. Name some in identity.documents.\n")
            #expect(
                try await mien("admin", "verification", "list").out
                    == "No case waits for a decision.\n")
            let required = try await mien(
                "admin", "verification", "require", "ada", "GOVERNMENT_ID")
            #expect(required.status == 0 && required.out.contains("must reach GOVERNMENT_ID"))
            let shown = try await mien("admin", "verification", "show", "ada", "--json")
            #expect(
                try shown.json["required_method"] as? String == "GOVERNMENT_ID"
                    && shown.json["verification_method"] as? String == "NONE", "\(shown)")
            #expect(try await mien("admin", "verification", "reset", "ada").status == 0)
            for arguments in [
                ["show", "cas_none"], ["decide", "cas_none", "accept"],
            ] {
                let result = try await home.mien(
                    ["admin", "verification"] + arguments + ["--json"], settings: settings)
                #expect(
                    try result.status == 2 && result.error.code == "server.not-found",
                    "\(result)")
            }
            let nobody = try await mien("admin", "verification", "reset", "eve", "--json")
            #expect(try nobody.status == 2 && nobody.error.code == "user.unknown")
        }
    }

    @Test func `rules and mappings are linted without a server`() async throws {
        let home = try TemporaryHome(hasPack: false)
        func lint(_ text: String, _ more: String...) async throws -> MienProgram.Result {
            let file = try home.write(text.utf8, as: "rules.json")
            return try await home.mien(["admin", "verification", "lint", file] + more)
        }
        let good = JSONText.write(RecommendationRules.standard.json)
        let fine = try await lint(good)
        #expect(fine.status == 0 && fine.out.hasSuffix("rules.json: no findings.\n"), "\(fine)")
        let soft =
            #"{"version": "1", "rules": [{"when": {"name": "passed"}, "then": "ALLOW"}], "otherwise": "DENY"}"#
        let bad = try await lint(soft)
        #expect(bad.status == 1 && bad.out.contains("error failed_check_"), "\(bad)")
        let json = try await lint(soft, "--json")
        let findings =
            try (json.json["files"] as? [[String: Any]])?.first?["findings"] as? [[String: Any]]
        #expect(
            findings?.first?["severity"] as? String == "error"
                && findings?.first?["rule"] as? Int == 0, "\(json)")
        let mapping =
            #"{"name": "bureau", "send": {"lastName": "/a"}, "outcome": {"at": "/b", "values": {"y": "agrees"}}}"#
        #expect(try await lint(mapping).status == 0)
        for (text, words) in [
            (good.replacing("ALLOW", with: "YES"), "rules[1].then: expected"),
            (mapping.replacing("agrees", with: "maybe"), "outcome.values.y: expected"),
            ("{", "line 1"),
        ] {
            let refused = try await lint(text, "--json")
            #expect(
                try refused.status == 2 && refused.error.code == "verification.rules"
                    && refused.err.contains(words), "\(refused)")
        }
        let missing = try await home.mien(
            ["admin", "verification", "lint", "none.json", "--json"])
        #expect(try missing.status == 2 && missing.error.code == "verification.rules")
    }

    @Test(.needsPack) func `administrators are created, listed, and removed`() async throws {
        let home = try TemporaryHome()
        try await ServerProcess.run(in: home) { server in
            func mien(
                _ arguments: String..., credential: String? = nil
            ) async throws -> MienProgram.Result {
                try await home.mien(
                    ["admin", "administrator"] + arguments,
                    settings: [
                        "MIEN_ADMIN_SERVER": server.adminAddress,
                        "MIEN_ADMIN_CREDENTIAL": credential ?? server.credential,
                    ])
            }
            let created = try await mien("create", "Grace", "--role", "owner", "--json")
            let id = try #require(try created.json["id"] as? String)
            let credential = try #require(try created.json["credential"] as? String)
            let listed = try await mien("list", credential: credential)
            #expect(
                listed.status == 0 && listed.out.contains("Grace") && listed.out.contains(id)
                    && !listed.out.contains(credential), "\(listed)")
            let own = try await mien("remove", id, "--json", credential: credential)
            #expect(try own.status == 2 && own.error.code == "server.conflict", "\(own)")
            #expect(try await mien("remove", id).out == "Removed \(id).\n")
            #expect(try await mien("list", credential: credential).status != 0)
            let bob = try await mien("create", "Bob", "--role", "reviewer", "--json")
            let bobID = try #require(try bob.json["id"] as? String)
            let bobs = try #require(try bob.json["credential"] as? String)
            let refused = try await mien("list", "--json", credential: bobs)
            #expect(
                try refused.status != 0 && refused.error.code == "server.not-permitted",
                "\(refused)")
            #expect(try await mien("role", bobID, "auditor").out == "Bob is now auditor.\n")
            #expect(try await mien("list", credential: bobs).out.contains("auditor"))
            #expect(try await mien("create", "Eve").status == 2)
        }
    }

    @Test func `two parts are sent at once, and a person who occurs again waits for the first`()
        async throws
    {
        let long = String(repeating: "x", count: 7000)
        func file(_ ids: [Int]) -> Data {
            Data(
                (Self.header + ids.map { "\($0),A,B,\(long),1,US,1985-12-10,\n" }.joined()).utf8)
        }
        func upload(_ ids: [Int]) async throws -> (RegistryUpload.Result, Int) {
            let log = Locked<(now: Int, most: Int, rows: [Int])>((0, 0, []))
            let upload = RegistryUpload { part in
                log.withLock {
                    $0.now += 1
                    $0.most = max($0.most, $0.now)
                }
                try await Task.sleep(for: .milliseconds(30))
                log.withLock { $0.now -= 1 }
                return RegistryImportAnswer(
                    imported: part.ids.count, importedAt: Int64(2000 - part.firstRow))
            }
            var pieces = [file(ids)]
            let result = try await upload.send { pieces.isEmpty ? Data() : pieces.removeFirst() }
            return (result, log.withLock { $0.most })
        }
        let (all, together) = try await upload(Array(1...2000))
        #expect(all.imported == 2000 && together == 2)
        // The earliest time, whichever part comes first.
        #expect((all.began ?? 0) < 1000)
        // Every part has person 1.
        let again = (1...2000).map { $0 % 300 == 0 ? 1 : $0 }
        #expect(try await upload(again).1 == 1)
        #expect(try await upload([]).0.began == nil)
    }

    @Test func `a large file is divided into parts with the header and the number of the row`()
        throws
    {
        var parts = RegistryParts(), found: [RegistryParts.Part] = []
        let long = String(repeating: "x", count: 7000)
        let rows = (1...1500).map { "\($0),A,B,\"\(long)\",1,US,1985-12-10,true\n" }
        let bytes = Array((Self.header + rows.joined()).utf8)
        for start in stride(from: 0, to: bytes.count, by: 100_000) {
            found += try parts.read(bytes[start..<min(bytes.count, start + 100_000)])
        }
        found += try parts.finish()
        #expect(found.count > 2 && found.first?.firstRow == 1)
        var count = 0
        for part in found {
            #expect(part.firstRow == count + 1 && part.bytes.count <= 4 << 20)
            var file = RegistryFile()
            var read = try file.read(part.bytes)
            if let last = try file.finish() { read.append(last) }
            #expect(read.first?.id == "\(count + 1)" && read.allSatisfy { $0.marks == [.deceased] })
            count += read.count
        }
        #expect(count == 1500)
    }
}
