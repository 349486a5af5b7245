import Foundation
import MienClient
import MienCore
import MienTesting
import Testing

/// The admin portal's page and files, and the routes of the admin API that were made for it.
@Suite("Admin portal", .enabled(if: Installed.isThere, Installed.reason))
struct PortalTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static func get(
        _ path: String, _ server: TestServer, headers: [String: String] = [:],
        isPublic: Bool = false
    ) async throws -> HTTPTransportResponse {
        try await AsyncHTTPTransport().send(
            HTTPTransportRequest(
                method: .get, url: (isPublic ? server.address : server.adminAddress) + path,
                headers: headers, body: []))
    }

    /// Returns the admin API's answer to its first administrator.
    private static func admin(
        _ path: String, _ server: TestServer, _ method: HTTPTransportRequest.Method = .get,
        body: String = "{}"
    ) async throws -> (status: Int, json: JSONValue) {
        let answer = try await AsyncHTTPTransport().send(
            HTTPTransportRequest(
                method: method, url: server.adminAddress + path,
                headers: [
                    "authorization": "Bearer \(server.credential.use { $0 })",
                    "content-type": "application/json",
                ], body: method == .get ? [] : Array(body.utf8)))
        return (answer.status, answer.body.isEmpty ? .null : try JSONText.parse(answer.body))
    }

    @Test(
        "every page address has the same document under a strict policy, on the admin listener only"
    )
    func pages() async throws {
        try await TestServer.run(in: scratch) { server in
            let page = try await Self.get("/admin", server)
            #expect(page.status == 200)
            let policy = page.headers["content-security-policy"] ?? ""
            for part in [
                "default-src 'none'", "script-src 'self'", "frame-ancestors 'none'",
                "trusted-types 'none'",
            ] { #expect(policy.contains(part), "\(part)") }
            #expect(!policy.contains("unsafe"))
            for path in ["/admin/users", "/admin/users/usr_none?q=1", "/admin/no/such/page"] {
                let other = try await Self.get(path, server)
                #expect(other.status == 200 && other.body == page.body, "\(path)")
            }
            #expect(try await Self.get("/admin/assets/nothing.js", server).status == 404)
            #expect(try await Self.get("/admin", server, isPublic: true).status == 404)
        }
    }

    @Test(
        "every file of Web/Portal is served with its type and an ETag that saves sending it again")
    func assets() async throws {
        let folder = Repository.root.appending(path: "Web/Portal")
        let found = try #require(FileManager.default.enumerator(atPath: folder.path))
        let names = found.compactMap { $0 as? String }.filter {
            $0 != "index.html" && $0.contains(".")
        }
        #expect(names.count > 10)
        try await TestServer.run(in: scratch) { server in
            for name in names {
                let path = "/admin/assets/\(name)"
                let file = try await Self.get(path, server)
                #expect(file.status == 200, "\(name) is missing in PortalAssets")
                let expected = try Data(contentsOf: folder.appending(path: name))
                #expect(Data(file.body) == expected, "\(name)")
                let tag = try #require(file.headers["etag"])
                #expect(
                    try await Self.get(path, server, headers: ["if-none-match": tag]).status == 304)
                if name.hasSuffix(".js") {
                    #expect(file.headers["content-type"]?.hasPrefix("text/javascript") == true)
                }
            }
        }
    }

    @Test(
        "app settings are described with their ranges, this server's defaults, and thresholds in words"
    )
    func appSettings() async throws {
        try await TestServer.run(in: scratch) { server in
            let guide = try await Self.admin("/v1/app-settings", server).json
            let tokens = guide["schema"]?["properties"]?["tokens"]?["properties"]
            #expect(tokens?["idle_seconds"]?["minimum"] == 60)
            #expect(guide["defaults"]?["face_threshold"] == 48)
            #expect(guide["defaults"]?["locks"]?["face"]?["lockout_seconds"] == 30)
            // References are resolved.
            let locks = guide["schema"]?["properties"]?["locks"]?["properties"]
            #expect(locks?["face"]?["properties"]?["failed_attempts"]?["maximum"] == 100)
            let words = guide["thresholds"]?.arrayValue?.first { $0["score"] == 48 }
            #expect(words?["in_words"]?.stringValue?.contains("10,000") == true)
        }
    }

    @Test("settings are listed with secrets left out, and metrics as JSON equal those of /metrics")
    func configuration() async throws {
        try await TestServer.run(in: scratch) { server in
            let settings = try await Self.admin("/v1/settings", server).json
            let items = try #require(settings["items"]?.arrayValue)
            #expect(items.contains { $0["key"] == "face.threshold" && $0["value"] == "48" })
            for item in items where item["is_secret"] == true { #expect(item["value"] == nil) }
            let metrics = try await Self.admin("/v1/metrics", server).json
            let requests = metrics["items"]?.arrayValue?.first {
                $0["name"] == "mien_http_request_duration_seconds"
            }
            #expect(requests?["type"] == "histogram")
            let series = try #require(requests?["series"]?.arrayValue?.first)
            let inBuckets = (series["buckets"]?.arrayValue ?? []).compactMap {
                $0["count"]?.numberValue
            }.reduce(0, +)
            #expect(series["count"]?.numberValue == inBuckets && inBuckets > 0)
        }
    }

    @Test("deleting a user is previewed with what goes and what stays")
    func erasure() async throws {
        try await TestServer.run(in: scratch) { server in
            let user = try await server.admin.createUser(
                .init(username: "ada", password: "correct horse battery"))
            let preview = try await Self.admin("/v1/users/\(user.id)/erasure", server).json
            #expect(preview["erased"]?["account"] == 1 && preview["erased"]?["authenticators"] == 1)
            #expect((preview["kept"]?["activity"]?.numberValue ?? 0) >= 1)
            #expect(preview["erased"]?["activity"] == nil)
            let signIns = try await Self.admin("/v1/users/\(user.id)/sign-ins", server)
            #expect(signIns.status == 200 && signIns.json["items"]?.arrayValue == [])
            for (path, status) in [("/sign-ins/none", 404), ("/sign-ins", 204)] {
                let answer = try await Self.admin("/v1/users/\(user.id)\(path)", server, .delete)
                #expect(answer.status == status, "\(path)")
            }
        }
    }

    @Test("a search of the audit log refuses what it does not know, and lists the newest first")
    func audit() async throws {
        try await TestServer.run(in: scratch) { server in
            let user = try await server.admin.createUser(.init(username: "ada"))
            let found = try await Self.admin(
                "/v1/audit?user=\(user.id)&event=user.created&order=newest&from=0", server)
            #expect(found.json["items"]?.arrayValue?.map { $0["event"] } == ["user.created"])
            let events = try await Self.admin("/v1/audit/events", server).json
            #expect(events["items"]?.arrayValue?.contains("user.created") == true)
            for query in [
                "order=upward", "from=yesterday", "until=-1", "administrator=%20", "by=a",
            ] {
                #expect(
                    try await Self.admin("/v1/audit?\(query)", server).status == 400, "\(query)")
            }
        }
    }

    @Test("tests of connections name what is wrong, and need something to test")
    func connections() async throws {
        try await TestServer.run(in: scratch) { server in
            let sources = try await Self.admin("/v1/verifications/sources", server).json
            #expect(sources["items"]?.arrayValue?.isEmpty == true)
            let none = try await Self.admin("/v1/verifications/sources/http/test", server, .post)
            #expect(none.status == 404)
            let app = "default_application"
            let unset = try await Self.admin("/v1/apps/\(app)/webhook/test", server, .post)
            #expect(unset.status == 409)
            _ = try await Self.admin(
                "/v1/apps/\(app)", server, .put,
                body:
                    #"{"name": "Shop", "settings": {"identity": {"webhook": "https://hooks.example.org/in"}}}"#
            )
            let foreign = try await Self.admin("/v1/apps/\(app)/webhook/test", server, .post)
            #expect(foreign.status == 200 && foreign.json["is_working"] == false)
            #expect(foreign.json["reason"]?.stringValue?.contains("webhook.hosts") == true)
        }
    }
}
