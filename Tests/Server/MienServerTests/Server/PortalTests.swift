import Foundation
import MienAPI
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

    @Test("the portal's scripts stay below 120 columns")
    func columns() throws {
        let folder = Repository.root.appending(path: "Web/Portal")
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where name.hasSuffix(".js") {
            let script = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            let long = script.split(separator: "\n").filter { $0.count >= 120 }
            #expect(long == [], "\(name)")
        }
    }

    @Test(
        "every file of the admin portal is served with its type and an ETag that saves sending it again"
    )
    func assets() async throws {
        let folder = Repository.root.appending(path: "Web/Portal")
        let found = try #require(FileManager.default.enumerator(atPath: folder.path))
        let names = found.compactMap { $0 as? String }.filter {
            $0 != "index.html" && $0.contains(".") && !$0.hasPrefix("organization/")
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
            let foreign = try await Self.admin(
                "/v1/apps/\(app)", server, .put,
                body:
                    #"{"name": "Shop", "settings": {"identity": {"webhook": "https://hooks.example.org/in"}}}"#
            )
            let fault = foreign.json["errors"]?.arrayValue?.first
            #expect(foreign.status == 400 && fault?["field"] == "settings.identity.webhook")
            #expect(fault?["message"]?.stringValue?.contains("webhook.hosts") == true)
        }
    }

    @Test("pages where an app does not say have the server's look, and its default language")
    func serverLook() async throws {
        try await TestServer.run(in: scratch) { server in
            let browser = PageBrowser(server.address)
            func theme(_ page: PageBrowser.Page) -> String? {
                page.text.firstMatch(of: /href="(\/web\/theme[^"]*)"/).map { String($0.output.1) }
            }
            let before = try await browser.get("/verify?link=none")
            #expect(theme(before) == nil && before.text.contains(#"<html lang="en""#))
            let empty = try await server.admin.pageSettings()
            #expect(empty["texts"] == [:] && empty.objectValue?.count == 2)
            let look: JSONValue = [
                "brand": "#7a1f5f", "brand_dark": "#e7a5d0", "language": "es",
                "logo": "data:image/png;base64,iVBORw0KGgo=", "texts": [:],
            ]
            let first = try #require(try await server.admin.pageSettings().objectValue)
            let stored = try await server.admin.setPageSettings(
                .object(try #require(look.objectValue).merging(first) { wanted, _ in wanted }))
            #expect(try await server.admin.pageSettings() == stored)
            let revision = try #require(stored["revision"])
            #expect(
                stored
                    == .object(
                        try #require(look.objectValue).merging(["revision": revision]) { $1 }))
            let late = await #expect(throws: MienError.self, "made from the look before the change")
            {
                _ = try await server.admin.setPageSettings(.object(first))
            }
            #expect(late?.problem?.code == .conflict)
            let page = try await browser.get("/verify?link=none")
            #expect(page.text.contains(#"<html lang="es""#))
            let css = try await browser.get(try #require(theme(page)))
            #expect(css.text.contains("--brand:#7a1f5f"))
            // Apps without a look of their own get it as their default.
            let guide = try await server.admin.appSettings()
            #expect(guide.defaults["pages"]?["brand"] == "#7a1f5f")
            let own = try await browser.get("/web/theme/default_application")
            #expect(own.text.contains("--brand:#7a1f5f"))
            _ = try await server.admin.updateApp(
                AppID("default_application")!,
                AppRequest(
                    name: "Own",
                    settings: ["pages": ["brand": "#0b6b69", "brand_dark": "#5fc9c6"]]))
            let other = try await browser.get("/web/theme/default_application")
            #expect(other.text.contains("--brand:#0b6b69") && !other.text.contains("e7a5d0"))
            for (wrong, field) in [
                ("brand", JSONValue.string("#ffff00")), ("language", "Español"), ("logo", "x"),
                ("color", "red"),
            ] {
                let refused = await #expect(throws: MienError.self) {
                    _ = try await server.admin.setPageSettings([wrong: field])
                }
                #expect(refused?.problem?.errors?.first?.field == wrong)
            }
            #expect(
                try await server.admin.pageSettings() == stored, "a refused change changes nothing")
            let entries = try await server.admin.audit(event: "pages.changed").items
            #expect(entries.count == 1)
        }
    }

    @Test("lists come 100 items at a time, in order, and the next page follows the last item")
    func pagedLists() async throws {
        try await TestServer.run(in: scratch) { server in
            for number in 0..<105 {
                _ = try await server.admin.createApp(
                    AppRequest(id: "app_\(number)", name: "App \(number)"))
                _ = try await server.admin.createAdministrator("Admin \(number)", as: .auditor)
                server.time.advance(.milliseconds(1))
            }
            for (path, total) in [("/v1/apps", 106), ("/v1/administrators", 106)] {
                let first = try await Self.admin(path, server).json
                #expect(first["items"]?.arrayValue?.count == 100, "\(path)")
                let next = try #require(first["next"]?.stringValue)
                #expect(first["items"]?.arrayValue?.last?["id"] == .string(next), "\(path)")
                let second = try await Self.admin("\(path)?after=\(next)", server).json
                #expect(second["items"]?.arrayValue?.count == total - 100, "\(path)")
                #expect(second["next"] == nil, "\(path)")
                #expect(
                    second["items"]?.arrayValue?.last?["name"]?.stringValue?.hasSuffix(" 104")
                        == true, "\(path)")
                #expect(try await Self.admin("\(path)?after=%20", server).status == 400)
                #expect(try await Self.admin("\(path)?after=nobody", server).status == 409)
                #expect(try await Self.admin("\(path)?before=a", server).status == 400)
            }
            #expect(try await server.admin.apps().count == 106)
            #expect(try await server.admin.administrators().count == 106)
        }
    }
}
