import Foundation
import MienAPI
import MienClient
import MienCore
import MienStore
import MienTesting
import Testing

@testable import MienServer

/// People see what they allow apps of others to know, take it back, and are asked again.
@Suite("Permissions of apps", .enabled(if: Installed.isThere, Installed.reason))
struct PermissionTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    enum Way: String, CaseIterable, Sendable {
        case user, page, lastSignIn = "the last sign-in ends", otherSignIns = "all others end",
            administrator
    }

    private static func request() -> String {
        PagesTests.authorize("guest", ["scope": "openid email offline_access"])
    }

    private static func redeem(_ code: String?, _ server: TestServer) async throws
        -> TokenClient.Answer
    {
        try await TokenClient(server: server, app: "guest").token(
            "authorization_code",
            [
                ("code", code ?? ""), ("redirect_uri", PagesTests.redirect),
                ("code_verifier", String(repeating: "v", count: 43)),
            ])
    }

    @Test(
        "a permission is in all lists, and its app is asked for again once it is taken back",
        arguments: Way.allCases)
    func withdrawn(_ way: Way) async throws {
        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser(), guest = AppID("guest")!
            try await PagesTests.makeApp("shop", on: server)
            try await PagesTests.makeApp("guest", on: server, isFirstParty: false)
            let browser = PageBrowser(server.address)
            let tokens = try await Self.redeem(
                browser.signIn(Self.request()).parameters["code"], server)
            let refresh = try #require(tokens["refresh_token"], "\(tokens.body)")
            let waiting = try await browser.get(Self.request()).parameters["code"]
            #expect(waiting != nil, "not asked twice")
            let access = try #require(
                try await TokenClient(server: server).signIn()["access_token"])
            func own(_ method: HTTPTransportRequest.Method, _ path: String) async throws -> (
                status: Int, body: JSONValue
            ) { try await server.sendJSON(method, "/v1/me/\(path)", access: access) }
            func pageNamesGuest() async throws -> Bool {
                try await browser.open("/account").text.contains("/account/remove/consent/guest")
            }

            let listed = try #require(
                try await own(.get, "consents").body["items"]?.arrayValue?.first)
            #expect(
                listed["app_id"] == "guest" && listed["purpose"] == "permission"
                    && listed["scope"] == "email offline_access openid")
            let shown = try #require(try await server.admin.consents(of: user).first)
            #expect(
                shown.appID == "guest" && shown.purpose == .known(.permission)
                    && shown.scope == "email offline_access openid" && shown.textVersion == nil)
            let page = try await browser.open("/account").text
            #expect(page.contains("see your email address") && page.contains("Allowed on"))

            switch way {
            case .user: #expect(try await own(.delete, "consents/guest").status == 204)
            case .administrator: try await server.admin.withdrawConsent(of: user, to: guest)
            case .page:
                let question = try await browser.get("/account/remove/consent/guest?client_id=shop")
                let done = try await browser.post(
                    "/account/remove/consent/guest?client_id=shop",
                    ["csrf": question.hidden("csrf") ?? ""])
                #expect(done.status == 303, "\(done.text)")
            case .otherSignIns: #expect(try await own(.delete, "sign-ins").status == 204)
            case .lastSignIn:
                let all = try await own(.get, "sign-ins").body["items"]?.arrayValue ?? []
                for one in all where one["app_id"] == "guest" {
                    let id = one["id"]?.stringValue ?? ""
                    #expect(try await own(.delete, "sign-ins/\(id)").status == 204)
                }
            }
            #expect(try await own(.get, "consents").body["items"]?.arrayValue == [])
            #expect(try await server.admin.consents(of: user).isEmpty)
            #expect(try await own(.delete, "consents/guest").status == 404)
            if way != .otherSignIns { #expect(try await !pageNamesGuest()) }
            let client = TokenClient(server: server, app: "guest")
            #expect(try await client.refresh(refresh).error == "invalid_grant")
            #expect(try await Self.redeem(waiting, server).error == "invalid_grant")

            let other = PageBrowser(server.address)
            _ = try await other.signIn("/signin")
            #expect(
                try await other.get(PagesTests.authorize("guest", ["prompt": "none"])).parameters[
                    "error"] == "consent_required")
            let asked = try await other.open(Self.request())
            let again = try await other.submit(asked, ["action": "allow"])
            #expect(try await Self.redeem(again.parameters["code"], server)["access_token"] != nil)
        }
    }

    @Test("one of several sign-ins ends without the permission, which is in use")
    func oneOfSeveral() async throws {
        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            try await PagesTests.makeApp("shop", on: server)
            try await PagesTests.makeApp("guest", on: server, isFirstParty: false)
            for _ in 0..<2 {
                let code = try await PageBrowser(server.address).signIn(Self.request())
                    .parameters["code"]
                #expect(try await Self.redeem(code, server)["access_token"] != nil)
            }
            let access = try await TokenClient(server: server).signIn()["access_token"]
            let all = try await server.sendJSON(.get, "/v1/me/sign-ins", access: access).body[
                "items"]?.arrayValue
            let one = try #require(all?.first { $0["app_id"] == "guest" }?["id"]?.stringValue)
            #expect(
                try await server.sendJSON(.delete, "/v1/me/sign-ins/\(one)", access: access).status
                    == 204)
            #expect(try await server.admin.consents(of: user).map(\.appID) == ["guest"])
        }
    }

    @Test func `a mere permission is withdrawn without a fresh sign-in, and a consent is not`()
        async throws
    {
        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            for app in ["guest", "club"] {
                try await PagesTests.makeApp(app, on: server, isFirstParty: false)
                let back = try await PageBrowser(server.address).signIn(
                    PagesTests.authorize(app))
                #expect(back.parameters["code"] != nil)
            }
            let access = try #require(
                try await TokenClient(server: server).signIn()["access_token"])
            let club = AppID("club")!, now = server.time.now
            try await server.server.parts.store.write { tables in
                try tables.consents.insert(
                    ConsentRecord(
                        id: "con_1", account: user, app: club, purpose: "face", textVersion: "1",
                        givenAt: now))
            }
            server.time.advance(.seconds(301))
            func withdraw(_ app: String) async throws -> Int {
                try await server.sendJSON(.delete, "/v1/me/consents/\(app)", access: access).status
            }
            #expect(try await withdraw("guest") == 204)
            #expect(try await withdraw("club") == 401)
            #expect(try await withdraw("nobody") == 401)
            let left = try await server.admin.consents(of: user).filter { $0.withdrawnAt == nil }
            #expect(left.map(\.appID) == ["club", "club"])
        }
    }
}
