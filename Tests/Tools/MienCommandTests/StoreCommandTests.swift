import Foundation
import MienServerTesting
import MienTesting
import Testing

/// `mien store`, with a server that runs and a real PostgreSQL.
@Suite(.enabled(if: PostgresCluster.isInstalled, "PostgreSQL is not installed"))
struct StoreCommandTests {
    private let home: TemporaryHome
    private let cluster: PostgresCluster
    private let owner: ScratchFolder
    private let url, name, other: String

    init() async throws {
        home = try TemporaryHome()
        cluster = try await PostgresCluster.shared()
        owner = try ScratchFolder()
        name = try await cluster.database(for: owner)
        url = cluster.url(name)
        other = try await cluster.database(for: owner)
    }

    /// The server's data folder, as ``ServerProcess`` sets it.
    private var data: String { home.files.appending(path: "server/data").path }

    private func store(_ arguments: String..., url: String? = nil) async throws
        -> MienProgram.Result
    {
        var settings = ["MIEN_DATA": data]
        settings["MIEN_STORE_URL"] = url
        return try await home.mien(["store"] + arguments, settings: settings)
    }

    private func json(
        _ arguments: String..., url: String? = nil, at location: SourceLocation = #_sourceLocation
    ) async throws -> [String: Any] {
        var settings = ["MIEN_DATA": data]
        settings["MIEN_STORE_URL"] = url
        let result = try await home.mien(["store"] + arguments + ["--json"], settings: settings)
        #expect(result.status == 0, "\(arguments): \(result.err)", sourceLocation: location)
        return try result.json
    }

    /// Runs an administrator's command, and returns its output.
    private func admin(_ server: ServerProcess.Running, _ arguments: String...) async throws
        -> String
    {
        let result = try await home.mien(
            ["admin"] + arguments,
            settings: [
                "MIEN_ADMIN_SERVER": server.adminAddress,
                "MIEN_ADMIN_CREDENTIAL": server.credential,
            ])
        #expect(result.status == 0, "\(arguments): \(result.err)")
        return result.out
    }

    @Test(.needsPack)
    func `a server's records move to PostgreSQL while it runs, and it goes on with them there`()
        async throws
    {
        var credential = ""
        try await ServerProcess.run(in: home) { server in
            credential = server.credential
            _ = try await admin(server, "user", "create", "--username", "ada")
            let first = try await json("copy", "--to", url)
            let rows = try #require(first["rows"] as? Int)
            #expect(
                first["finished"] as? Bool == false && rows > 10
                    && (rows - 2...rows).contains(first["inserted"] as? Int ?? 0), "\(first)")
            // The server goes on with the file; the next run carries over what has changed.
            _ = try await admin(server, "user", "create", "--username", "grace")
            let second = try await store("copy", url: url)
            #expect(
                second.status == 0 && second.out.contains("all equal")
                    && second.out.contains("The server goes on with the file"), "\(second)")
            #expect(try await cluster.sql("SELECT COUNT(*) FROM account", in: name) == "2")

            let early = try await store("copy", "--finish", "--json", url: url)
            #expect(try early.status == 3 && early.error.code == "server.in-use", "\(early)")
            #expect(try await json("status")["users"] as? Int == 2)
            let half = try await json("status", url: url)
            #expect(half["copy_unfinished"] as? Bool == true && half["users"] as? Int == 2)
            let migrated = try await store("migrate", "--json", url: url)
            #expect(try migrated.status == 3 && migrated.error.code == "store.incomplete")
            _ = try await admin(server, "user", "create", "--username", "joan")
        }
        let hashes = try await json("copy", "--finish", url: url)
        #expect(hashes["finished"] as? Bool == true)
        let tables = try #require(hashes["tables"] as? [[String: Any]])
        #expect(
            tables.contains { $0["name"] as? String == "account" && $0["rows"] as? Int == 3 }
                && tables.allSatisfy { ($0["sha256"] as? String)?.count == 64 }, "\(tables)")
        #expect(
            try await cluster.sql("SELECT COUNT(*) FROM audit", in: name)
                == "\(tables.first { $0["name"] as? String == "audit" }?["rows"] as? Int ?? 0)")
        // Again, as after an answer that was lost.
        let again = try await store("copy", "--finish", url: url)
        #expect(again.status == 0 && again.out.contains("has all of"), "\(again)")
        let elsewhere = try await store("copy", "--finish", "--json", url: cluster.url(other))
        #expect(try elsewhere.status == 3 && elsewhere.error.code == "store.moved", "\(elsewhere)")
        #expect(try elsewhere.error.message.contains("but not to"))
        let unfinished = try await store("copy", "--json", url: url)
        #expect(try unfinished.status == 3 && unfinished.error.code == "store.moved")
        #expect(
            try await store("migrate", url: url).out.hasSuffix("/\(name) is up to date.\n"))
        let moved = try await json("status", url: url)
        #expect(moved["copy_unfinished"] as? Bool == false && moved["missing"] as? [String] == [])
        // Nobody starts the file's server by mistake.
        let file = try await home.mien(
            ["serve"],
            settings: [
                "MIEN_DATA": data, "MIEN_PORT": "0", "MIEN_ADMIN_LISTEN": "127.0.0.1:0",
            ])
        #expect(file.status == 3 && file.err.contains("was copied to PostgreSQL"), "\(file)")

        try await ServerProcess.run(
            in: home, settings: ["MIEN_STORE_URL": url], credential: credential
        ) { server in
            let users = try await admin(server, "user", "list")
            for name in ["ada", "grace", "joan"] { #expect(users.contains(name), "\(users)") }
        }
    }

    @Test func `what cannot be copied or looked at is refused`() async throws {
        let none = try await store("copy", "--json")
        #expect(try none.status == 2 && none.error.code == "store.url")
        #expect(try none.error.message.contains("--to"))
        let empty = try await store("copy", "--to", url, "--json")
        #expect(try empty.status == 2 && empty.error.code == "store.file")
        #expect(try empty.error.message.contains(data))
        let file = try await store("migrate", "--json")
        #expect(try file.status == 2 && file.error.code == "store.file")
        for (address, words) in [
            ("mysql://db.example/mien", "postgresql://"),
            ("postgresql://mien:secret@localhost/mien", "password"),
            ("postgresql://mien@db.example/mien?sslmode=require", "sslmode=verify-full"),
        ] {
            let refused = try await store("status", "--json", url: address)
            #expect(refused.status != 0)
            #expect(try refused.error.message.contains(words), "\(refused)")
            #expect(!(refused.out + refused.err).contains("secret"))
        }
        let fresh = try await json("status", url: url)
        #expect(fresh["schema"] == nil && fresh["users"] as? Int == 0)
        #expect(try await store("status", url: url).out.contains("empty: the first server"))
        let added = try #require(try await json("migrate", url: url)["added"] as? [String])
        #expect(!added.isEmpty)
        #expect(try await json("migrate", url: url)["added"] as? [String] == [])
    }

    @Test func `a database of another version is refused, and the status says what to do`()
        async throws
    {
        _ = try await store("migrate", url: url)
        try await cluster.sql(
            "INSERT INTO schema_step (name, compatible) VALUES ('999-newer', 0)", in: name)
        let newer = try await store("status", "--json", url: url)
        #expect(try newer.status == 3 && newer.json["too_new"] as? [String] == ["999-newer"])
        let refused = try await store("migrate", "--json", url: url)
        #expect(try refused.status == 3 && refused.error.code == "store.too-new")

        try await cluster.sql(
            "CREATE TABLE schema_step (name TEXT PRIMARY KEY); INSERT INTO schema_step VALUES ('1-accounts')",
            in: other)
        for command in ["status", "migrate"] {
            let old = try await store(command, "--json", url: cluster.url(other))
            #expect(try old.status == 3 && old.error.code == "store.too-old", "\(old)")
            #expect(try old.error.message.contains("Start with an empty database"))
        }
    }
}
