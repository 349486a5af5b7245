import Foundation
import MienTesting
import Testing

/// `mien admin …` and the commands of `mien journey …` that use a server.
@Suite struct AdminCommandTests {
    private static let secret = "adm_x.not-to-be-seen"

    private static let journey = Repository.root
        .appending(path: "Examples/Journeys/password-login.json")

    private static func write(_ text: String, mode: Int, as name: String, in home: TemporaryHome)
        throws -> String
    {
        let path = try home.write(text.utf8, as: name)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    @Test func `a credential file that others can use is refused, and its contents are not shown`()
        async throws
    {
        let home = try TemporaryHome(hasPack: false)
        for mode in [0o644, 0o640, 0o604, 0o620, 0o602] {
            let file = try Self.write(Self.secret, mode: mode, as: "credential-\(mode)", in: home)
            let result = try await home.mien(
                "admin", "app", "list", "--credential-file", file, "--json")
            #expect(
                try result.status == 3 && result.error.code == "credential.mode"
                    && result.err.contains("chmod 600 \(file)"), "\(result)")
            #expect(
                !result.out.contains("not-to-be-seen") && !result.err.contains("not-to-be-seen"))
        }
    }

    @Test(.needsPack)
    func `commands find the server where MIEN_ADMIN_LISTEN says that it listens`() async throws {
        let home = try TemporaryHome()
        try await ServerProcess.run(in: home) { server in
            let listen = String(server.adminAddress.trimmingPrefix("http://"))
            func list(_ settings: [String: String], _ arguments: String...) async throws
                -> MienProgram.Result
            {
                try await home.mien(
                    ["admin", "license", "list", "--json"] + arguments,
                    settings: settings.merging(["MIEN_ADMIN_CREDENTIAL": server.credential]) { $1 })
            }
            #expect(try await list(["MIEN_ADMIN_LISTEN": listen]).status == 0)
            let other = ["MIEN_ADMIN_LISTEN": "127.0.0.1:1"]
            #expect(try await list(other).error.code == "server.unreachable")
            #expect(
                try await list(other.merging(["MIEN_ADMIN_SERVER": server.adminAddress]) { $1 })
                    .status == 0)
            #expect(try await list(other, "--server", server.adminAddress).status == 0)
            for listen in ["127.0.0.1:0", "8081"] {
                let refused = try await list(["MIEN_ADMIN_LISTEN": listen])
                #expect(
                    try refused.status == 2 && refused.error.code == "server.address"
                        && refused.err.contains("MIEN_ADMIN_LISTEN"), "\(refused)")
            }
            // The former spelling stays.
            let former = try await home.mien(
                ["admin", "licence", "list"],
                settings: [
                    "MIEN_ADMIN_LISTEN": listen, "MIEN_ADMIN_CREDENTIAL": server.credential,
                ])
            #expect(former.status == 0 && former.out.contains("no product keys"), "\(former)")
        }
    }

    @Test func `a missing or malformed credential is refused`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let good = try Self.write(Self.secret, mode: 0o600, as: "good", in: home)
        let link = home.files.appending(path: "link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: good)
        let files = [
            (home.files.appending(path: "none").path, "credential.missing"),
            (link, "credential.not-regular"),
            (home.files.path, "credential.not-regular"),
            (try Self.write("", mode: 0o600, as: "empty", in: home), "credential.malformed"),
            (
                try Self.write("two\nlines not-to-be-seen", mode: 0o600, as: "two", in: home),
                "credential.malformed"
            ),
            (
                try Self.write(
                    String(repeating: "x", count: 600), mode: 0o600, as: "long", in: home),
                "credential.malformed"
            ),
        ]
        for (file, code) in files {
            let result = try await home.mien("journey", "list", "--credential-file", file, "--json")
            #expect(
                try result.status == 3 && result.error.code == code && result.err.contains(file),
                "\(result)")
            #expect(!result.err.contains("not-to-be-seen"))
        }
        let without = try await home.mien("admin", "audit", "verify", "--json")
        #expect(
            try without.status == 3 && without.error.code == "credential.missing"
                && without.err.contains("MIEN_ADMIN_CREDENTIAL"))
        let torn = try await home.mien(
            ["admin", "audit", "verify", "--json"], settings: ["MIEN_ADMIN_CREDENTIAL": "a b"])
        #expect(
            try torn.status == 3 && torn.error.code == "credential.malformed"
                && !torn.err.contains("a b"))
    }

    @Test func `an unreachable server, a bad address, and a malformed journey are refused`()
        async throws
    {
        let home = try TemporaryHome(hasPack: false),
            settings = ["MIEN_ADMIN_CREDENTIAL": Self.secret]
        // No server listens at port 1 of this machine.
        let nobody = try await home.mien(
            ["admin", "user", "list", "--server", "http://127.0.0.1:1", "--json"],
            settings: settings)
        #expect(
            try nobody.status == 3 && nobody.error.code == "server.unreachable"
                && nobody.err.contains("--server"), "\(nobody)")
        for address in ["http://login.example.org", "login.example.org", "ftp://login.example.org"]
        {
            let result = try await home.mien(
                ["admin", "user", "list", "--json"],
                settings: settings.merging(["MIEN_ADMIN_SERVER": address]) { $1 })
            #expect(try result.status == 2 && result.error.code == "server.address", "\(result)")
        }
        // Files are read before the server is contacted.
        let bad = try home.write("{}".utf8, as: "bad.json")
        let malformed = try await home.mien("journey", "import", Self.journey.path, bad, "--json")
        #expect(
            try malformed.status == 2 && malformed.error.code == "journey.malformed"
                && malformed.err.contains(bad))
        let nowhere = try await home.mien(
            "journey", "export", "x", "--output", home.files.path + "/bad.json/x.json", "--json")
        #expect(try nowhere.status == 2 && nowhere.error.code == "file.not-writable")
    }

    @Test(.needsPack)
    func `a server's users, apps, authenticators, audit log, and journeys are managed`()
        async throws
    {
        let home = try TemporaryHome()
        try await ServerProcess.run(in: home) { server in
            let settings = [
                "MIEN_ADMIN_SERVER": server.adminAddress,
                "MIEN_ADMIN_CREDENTIAL": server.credential,
            ]
            func mien(
                _ arguments: String..., input: String = "",
                at location: SourceLocation = #_sourceLocation
            ) async throws -> MienProgram.Result {
                let result = try await home.mien(
                    arguments, settings: settings, input: input, at: location)
                #expect(
                    !result.out.contains(server.credential)
                        && !result.err.contains(server.credential), sourceLocation: location)
                return result
            }
            func json(
                _ arguments: String..., input: String = "",
                at location: SourceLocation = #_sourceLocation
            ) async throws -> [String: Any] {
                let result = try await home.mien(
                    arguments + ["--json"], settings: settings, input: input, at: location)
                #expect(result.status == 0, "\(arguments): \(result.err)", sourceLocation: location)
                return try result.json
            }
            func refused(
                _ status: Int32, _ code: String, _ arguments: String...,
                at location: SourceLocation = #_sourceLocation
            ) async throws {
                let result = try await home.mien(
                    arguments + ["--json"], settings: settings, at: location)
                #expect(
                    try result.status == status && result.error.code == code,
                    "\(arguments): \(result)", sourceLocation: location)
            }

            // The credential.
            let file = try Self.write(
                server.credential + "\n", mode: 0o600, as: "credential", in: home)
            #expect(
                try await home.mien(
                    "admin", "app", "list", "--server", server.adminAddress, "--credential-file",
                    file
                ).status == 0)
            let wrong = try await home.mien(
                ["admin", "app", "list", "--json"],
                settings: settings.merging(["MIEN_ADMIN_CREDENTIAL": Self.secret]) { $1 })
            #expect(try wrong.status == 3 && wrong.error.code == "server.credential", "\(wrong)")

            // Users.
            let ada = try await json(
                "admin", "user", "create", "--username", "ada", "--email", "ada@example.org",
                "--attribute", "plan=gold", "--attribute", "age:=36",
                "--password-stdin", input: "not a common one\n")
            let id = try #require(ada["id"] as? String)
            #expect(
                ada["username"] as? String == "ada"
                    && (ada["attributes"] as? [String: Any])?["age"] as? Int == 36)
            try await refused(2, "server.conflict", "admin", "user", "create", "--username", "Ada")
            try await refused(2, "user.unknown", "admin", "user", "show", "grace")
            for name in ["ada", "ada@example.org", id] {
                #expect(try await json("admin", "user", "show", name)["id"] as? String == id)
            }
            #expect(
                try await mien("admin", "user", "show", "ada").out.contains(
                    "attributes  age=36, plan=gold"))
            let changed = try await json(
                "admin", "user", "set", "ada", "--state", "suspended", "--attribute", "plan=silver",
                "--remove-attribute", "age", "--email", "")
            #expect(
                changed["state"] as? String == "suspended" && changed["email"] == nil
                    && changed["attributes"] as? [String: String] == ["plan": "silver"])
            for name in ["grace", "joan", "mary"] {
                _ = try await json("admin", "user", "create", "--external-id", name)
            }
            let first = try await json("admin", "user", "list", "--limit", "3"),
                next = try #require(first["next"] as? String)
            let rest = try await json("admin", "user", "list", "--limit", "3", "--after", next)
            let users = [first, rest].flatMap {
                ($0["users"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
            }
            #expect(
                users.count == 4 && Set(users).count == 4 && users.contains(id)
                    && rest["next"] == nil)
            #expect(
                try await mien("admin", "user", "list", "--limit", "3").err.contains(
                    "--after \(next)"))

            // Authenticators.
            let authenticators = try #require(
                try await json("admin", "authenticator", "list", "ada")["authenticators"]
                    as? [[String: Any]])
            #expect(
                authenticators.map { $0["type"] as? String } == ["password"]
                    && authenticators[0]["lock"] as? String == "open")
            let password = try #require(authenticators[0]["id"] as? String)
            #expect(
                try await json("admin", "authenticator", "lock", "ada", "password")["locked"]
                    as? String == password)
            #expect(
                try await mien("admin", "authenticator", "list", "ada").out.contains("disabled"))
            #expect(
                try await json("admin", "authenticator", "unlock", "ada", password)["unlocked"]
                    as? String == password)
            try await refused(
                2, "authenticator.unknown", "admin", "authenticator", "remove", "ada", "face")
            #expect(
                try await mien("admin", "consent", "list", "ada").out
                    == "ada has not given any consent.\n")
            try await refused(
                2, "server.not-found", "admin", "consent", "withdraw", "ada", "default_application")

            // Apps.
            let shop = try await json(
                "admin", "app", "create", "Web shop", "--id", "shop", "--confidential")
            let suspended = try await mien("admin", "authenticator", "offer-token", "ada", "shop")
            #expect(suspended.status == 2 && suspended.err.contains("suspended"), "\(suspended)")
            let offered = try await json(
                "admin", "authenticator", "offer-token", "grace", "shop", "--kind", "hotp",
                "--digits", "8")
            #expect(
                (offered["registration_code"] as? String)?.hasPrefix("otc_") == true
                    && offered["kind"] as? String == "hotp"
                    && offered["digits"] as? Int == 8)
            #expect(
                try await mien("admin", "authenticator", "offer-token", "grace", "shop").out
                    .contains("\nSingle-use, valid until "))
            try await refused(
                2, "server.not-found", "admin", "authenticator", "offer-token", "ada", "nothing")
            let mail = try await json(
                "admin", "app", "create", "Mail", "--id", "mail", "--for", "roundcube", "--url",
                "https://mail.example.org/")
            let mailSettings = try #require(mail["settings"] as? [String: Any])
            #expect(mail["type"] as? String == "confidential" && mail["client_secret"] != nil)
            #expect(
                mailSettings["redirect_uris"] as? [String] == [
                    "https://mail.example.org/index.php/login/oauth"
                ])
            #expect(mailSettings["requires_pkce"] as? Bool == false)
            let again = try await json("admin", "app", "secret", "shop")
            #expect(
                try #require(shop["client_secret"] as? String) != #require(
                    again["client_secret"] as? String))
            #expect(try await json("admin", "app", "show", "shop")["client_secret"] == nil)
            _ = try await json(
                "admin", "app", "set", "shop", "--face-threshold", "50", "--journey", "face-login",
                "--redirect-uri", "https://shop.example.org/",
                "--lock", "face=3,60,20,again", "--lock", "password=4,30,40",
                "--setting", #"post_logout_redirect_uris=["https://shop.example.org/bye"]"#)
            try await refused(
                2, "server.invalid-request", "admin", "app", "set", "shop", "--setting",
                "backchannel_logout_uri=https://shop.example.org/logout")
            let set = try await mien(
                "admin", "app", "set", "shop", "--token-seconds", "60", "--lock", "password=default"
            ).out.replacing(/\ {2,}/, with: "  ")
            for part in [
                "face threshold  50", "token seconds  60", "https://shop.example.org/",
                "journeys  face-login",
                "locks  face=3,60,20,again\n",
                "logout URIs  https://shop.example.org/bye",
            ] {
                #expect(set.contains(part), "\(part): \(set)")
            }
            try await refused(
                2, "server.invalid-request", "admin", "app", "set", "shop", "--face-threshold", "80"
            )
            let finance = try await mien(
                "admin", "app", "set", "shop", "--setting", "tokens.refresh_token_seconds=3600",
                "--setting", "tokens.idle_seconds=1800",
                "--setting", "biometric.mode=compatible", "--setting", "sign_in_page=true"
            ).out.replacing(/\ {2,}/, with: "  ")
            for part in [
                #""refresh_token_seconds":3600"#, #""idle_seconds":1800"#, #""mode":"compatible""#,
                "sign in page  true", "face threshold  50",
            ] {
                #expect(finance.contains(part), "\(part): \(finance)")
            }
            try await refused(
                2, "server.invalid-request", "admin", "app", "set", "shop", "--setting",
                "tokens.idle_seconds=1")
            try await refused(
                2, "server.invalid-request", "admin", "app", "set", "shop", "--setting",
                "colour=red")
            #expect(
                try await mien(
                    "admin", "app", "set", "shop", "--all-journeys", "--face-threshold", "default"
                ).out.contains("all published"))
            #expect(
                try await mien("admin", "app", "delete", "shop", "--yes").out == "Deleted shop.\n")

            // Journeys: a draft, its publication, the next version; exports equal imports.
            let source = try String(contentsOf: Self.journey, encoding: .utf8).replacing(
                #""password-login""#, with: #""round-trip""#)
            let draft = try home.write(source.utf8, as: "round-trip.json")
            #expect(
                try await mien("journey", "import", draft).out.hasSuffix(
                    "round-trip, version 1, is a draft.\n"))
            let exported = home.files.appending(path: "exported.json").path
            #expect(
                try await json("journey", "export", "round-trip", "--output", exported)["version"]
                    as? Int == 1)
            func object(_ text: String) throws -> NSDictionary {
                try #require(
                    try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
            }
            #expect(try object(String(contentsOfFile: exported, encoding: .utf8)) == object(source))
            #expect(
                try await mien("journey", "import", exported, "--publish").out.hasSuffix(
                    "round-trip, version 1, is published.\n"))
            try await refused(2, "server.conflict", "journey", "import", draft)
            try await refused(2, "server.conflict", "journey", "publish", "round-trip", "1")
            let second = source.replacing(#""version": 1"#, with: #""version": 2"#)
            #expect(second != source)
            #expect(
                try await mien("journey", "import", home.write(second.utf8, as: "second.json"))
                    .status == 0)
            #expect(try await object(mien("journey", "export", "round-trip").out) == object(source))
            #expect(
                try await object(mien("journey", "export", "round-trip", "--version", "2").out)
                    == object(second))
            #expect(
                try await json("journey", "publish", "round-trip", "2")["state"] as? String
                    == "published")
            // Publishing the second version retired the first.
            try await refused(2, "server.conflict", "journey", "retire", "round-trip", "1")
            // Publishing the first again rolls back.
            #expect(
                try await mien("journey", "publish", "round-trip", "1").out
                    == "round-trip, version 1, is published.\n")
            #expect(try await json("journey", "publish", "round-trip", "2")["version"] as? Int == 2)
            try await refused(2, "server.conflict", "journey", "retire", "round-trip", "2")
            #expect(
                try await mien("journey", "retire", "round-trip", "2", "--force").out
                    == "round-trip, version 2, is retired.\n")
            let listed = try await mien("journey", "list").out
            #expect(
                listed.contains("round-trip") && listed.contains("retired")
                    && listed.contains("face-login"))
            try await refused(2, "server.not-found", "journey", "export", "nowhere")
            let lame = try home.write(
                #"{"id":"j","version":1,"title":"J","start":"a","steps":{"a":{"type":"complete_journey"}}}"#
                    .utf8, as: "lame.json")
            let errors = try await mien("journey", "import", lame)
            #expect(
                errors.status == 2 && errors.err.contains(lame) && errors.err.contains("steps.a"),
                "\(errors)")

            // The audit log.
            let entries = try #require(
                try await json("admin", "audit", "list", "--user", "ada")["entries"]
                    as? [[String: Any]])
            #expect(
                entries.compactMap { $0["event"] as? String } == [
                    "user.created", "user.changed", "authenticator.locked",
                    "authenticator.unlocked",
                ])
            #expect(
                try await mien("admin", "user", "delete", "ada", "--yes").out == "Deleted \(id).\n")
            let after = try #require(entries.last?["number"] as? Int)
            let late = try await mien("admin", "audit", "list", "--user", id, "--after", "\(after)")
            #expect(late.out.contains("user.deleted") && !late.out.contains("user.created"))
            let verdict = try await json("admin", "audit", "verify")
            #expect(verdict["is_whole"] as? Bool == true && (verdict["entries"] as? Int ?? 0) > 10)
            #expect(try await mien("admin", "audit", "verify").out.hasPrefix("The log is intact: "))
        }
    }

    @Test(.needsPack)
    func `the audit log is exported, verified without the server, pruned, and exported again`()
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
            func json(_ arguments: String...) async throws -> [String: Any] {
                let result = try await home.mien(arguments + ["--json"], settings: settings)
                #expect(result.status == 0, "\(arguments): \(result.err)")
                return try result.json
            }
            for name in ["ada", "bob", "eve"] {
                _ = try await json("admin", "user", "create", "--username", name)
            }
            // Exported, pruned, and exported again: two consecutive files and an intact log.
            let first = try home.write([], as: "first.jsonl"),
                second = try home.write([], as: "second.jsonl")
            let exported = try await json("admin", "audit", "export", first)
            let count = try #require(exported["entries"] as? Int),
                end = try #require((exported["end"] as? [String: Any])?["number"] as? Int)
            #expect(count == end && count >= 4)
            #expect(
                try await mien("admin", "audit", "verify", "--file", first).out.hasPrefix(
                    "\(first) is intact: entries 1 to \(end), "))
            #expect(
                try await mien("admin", "audit", "prune", first).out
                    == "Removed \(count) entries. The log now starts after number \(end).\n")
            let pruned = try await json("admin", "audit", "verify")
            #expect(pruned["is_whole"] as? Bool == true && pruned["entries"] as? Int == end + 1)
            #expect((pruned["start"] as? [String: Any])?["number"] as? Int == end)
            _ = try await json("admin", "audit", "export", second)
            #expect(
                try await mien("admin", "audit", "verify", "--file", first, "--file", second).status
                    == 0)
            let gap = try await mien("admin", "audit", "verify", "--file", second, "--file", first)
            #expect(gap.status == 2 && gap.err.contains("starts after entry 0"), "\(gap)")
            let tooEarly = try await mien("admin", "audit", "export", second, "--after", "3")
            #expect(tooEarly.status == 2, "\(tooEarly)")
            let torn = try home.write(
                Array(
                    try String(contentsOfFile: first, encoding: .utf8).replacing(
                        "user.created", with: "user.deleted"
                    ).utf8), as: "torn.jsonl")
            let refused = try await mien("admin", "audit", "verify", "--file", torn)
            #expect(
                refused.status == 2 && refused.err.contains("was modified"),
                "\(refused)")
            #expect(try await mien("admin", "audit", "prune", torn).status == 2)
        }
    }
}
