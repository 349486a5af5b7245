import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

@testable import MienServer

/// Sign-ins on devices without a browser: RFC 8628.
@Suite("Sign-ins on devices", .enabled(if: Installed.isThere, Installed.reason))
struct DeviceAuthorizationTests {
    private static let grant = "urn:ietf:params:oauth:grant-type:device_code"

    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func withApp(
        type: AppType = .public, isFirstParty: Bool = true, _ settings: [String: JSONValue] = [:],
        _ body: @Sendable (TestServer, PageApp) async throws -> Void
    ) async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            let all = ["device_authorization": true].merging(settings) { $1 }
            try await body(
                server,
                PageApp.create(server, id: "tv", type: type, isFirstParty: isFirstParty, all))
        }
    }

    /// A device, and the codes that it got.
    private struct Device {
        let client: TokenClient
        let began: TokenClient.Answer

        static func begin(_ app: PageApp, _ fields: [(String, String)] = [("scope", "openid")])
            async throws -> Device
        {
            try await begin(app.client, fields)
        }

        static func begin(_ client: TokenClient, _ fields: [(String, String)]) async throws
            -> Device
        {
            var all = [("client_id", client.app)] + fields
            if let secret = client.secret { all.append(("client_secret", secret)) }
            return Device(
                client: client,
                began: try await client.post("/oauth2/device_authorization", all))
        }

        var userCode: String { began["user_code"] ?? "" }

        func ask(_ changed: TokenClient? = nil) async throws -> TokenClient.Answer {
            try await (changed ?? client).token(
                DeviceAuthorizationTests.grant, [("device_code", began["device_code"] ?? "")])
        }
    }

    /// Types the code, and sees the question.
    private static func type(_ code: String, in browser: PageBrowser) async throws
        -> PageBrowser.Page
    {
        try await browser.submit(
            try await browser.get("/device"), ["user_code": code])
    }

    /// Types the code, agrees, and signs in.
    private static func approve(_ code: String, in browser: PageBrowser) async throws
        -> PageBrowser.Page
    {
        let question = try await type(code, in: browser)
        let agreed = try await browser.submit(
            question, ["user_code": question.hidden("user_code") ?? "", "action": "allow"])
        let page = try await browser.open(try #require(agreed.location, "\(agreed.text)"))
        guard page.text.contains("f_password") else { return page }
        let after = try await browser.submit(
            page,
            ["option": "password", "f_username": "ada", "f_password": "a password nobody has"])
        guard let location = after.location else { return after }
        return try await browser.open(location)
    }

    @Test("a person types the code in another browser, signs in, and the device gets tokens")
    func life() async throws {
        try await withApp { server, app in
            let device = try await Device.begin(
                app, [("scope", "openid email offline_access nonsense")])
            #expect(device.began.status == 200 && device.began.body["interval"] == 5)
            #expect(device.began.body["expires_in"] == 600)
            #expect(device.began["verification_uri"] == server.issuer + "/device")
            #expect(
                device.began["verification_uri_complete"]
                    == server.issuer + "/device?user_code=" + device.userCode)
            #expect(
                device.userCode.wholeMatch(of: /[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}/) != nil
            )
            let early = try await device.ask()
            #expect(early.status == 400 && early.error == "authorization_pending")
            let browser = PageBrowser(server.address)
            let prefilled = try await browser.get("/device?user_code=\(device.userCode)")
            #expect(prefilled.text.contains("value=\"\(device.userCode)\""))
            #expect(!prefilled.text.contains("Web"), "a link alone names nothing")
            // As people type: lower case, without the hyphen.
            let question = try await Self.type(
                device.userCode.lowercased().replacing("-", with: " "), in: browser)
            #expect(question.text.contains("Sign in to Web on another device?"))
            #expect(question.text.contains(device.userCode))
            let done = try await Self.approve(device.userCode, in: browser)
            #expect(done.text.contains("The device is signed in"), "\(done.text)")
            server.time.advance(.seconds(5))
            let tokens = try await device.ask()
            #expect(tokens.status == 200 && tokens["scope"] == "email offline_access openid")
            let claims = try TokenClient.claims(tokens["id_token"])
            let account = try await server.userID("ada")
            #expect(claims["sub"]?.stringValue == account.text && claims["aud"] == "tv")
            #expect(try await app.client.userInfo(tokens["access_token"]).status == 200)
            #expect(try await app.client.refresh(tokens["refresh_token"]).status == 200)
            server.time.advance(.seconds(5))
            #expect(try await device.ask().error == "invalid_grant", "a code counts once")
            let again = try await Self.type(device.userCode, in: browser)
            #expect(again.status == 400 && again.text.contains("No device waits"))
            let events = try await server.admin.audit(event: "device.approved").items
            #expect(events.count == 1)
        }
    }

    @Test("a signed-in person is asked all the same, and needs no second sign-in")
    func session() async throws {
        try await withApp { server, app in
            let browser = PageBrowser(server.address)
            _ = try await app.visit(in: browser)
            let device = try await Device.begin(app)
            let question = try await Self.type(device.userCode, in: browser)
            #expect(question.text.contains("ada"))
            #expect(try await device.ask().error == "authorization_pending")
            let done = try await Self.approve(device.userCode, in: browser)
            #expect(done.text.contains("The device is signed in"))
            server.time.advance(.seconds(5))
            #expect(try await device.ask().status == 200)
        }
    }

    @Test("a person who refuses, or goes back, is heard by the device")
    func denied() async throws {
        try await withApp(isFirstParty: false) { server, app in
            let browser = PageBrowser(server.address), device = try await Device.begin(app)
            let question = try await Self.type(device.userCode, in: browser)
            let done = try await browser.open(
                try #require(
                    try await browser.submit(
                        question, ["user_code": device.userCode, "action": "deny"]
                    ).location))
            #expect(done.text.contains("The device was refused"))
            #expect(try await device.ask().error == "access_denied")
            // An app of others asks for permission, which this person denies.
            let second = try await Device.begin(app)
            let permission = try await Self.approve(second.userCode, in: browser)
            #expect(
                permission.text.contains("Allow Web to know who you are?"), "\(permission.text)")
            let end = try await browser.submit(permission, ["action": "deny"])
            #expect(end.location == "/device?result=denied")
            #expect(try await second.ask().error == "access_denied")
        }
    }

    @Test("a device that asks too often has to slow down, and codes expire")
    func pace() async throws {
        try await withApp { server, app in
            let device = try await Device.begin(app)
            #expect(try await device.ask().error == "authorization_pending")
            #expect(try await device.ask().error == "slow_down")
            server.time.advance(.seconds(5))
            #expect(try await device.ask().error == "slow_down", "the pause has grown")
            server.time.advance(.seconds(16))
            #expect(try await device.ask().error == "authorization_pending")
            let browser = PageBrowser(server.address)
            let question = try await Self.type(device.userCode, in: browser)
            server.time.advance(.seconds(600))
            #expect(try await device.ask().error == "expired_token")
            let late = try await browser.submit(
                question, ["user_code": device.userCode, "action": "allow"])
            #expect(late.status == 400 && late.text.contains("No device waits"))
            #expect(
                try await app.client.token(Self.grant, [("device_code", "bm9uZQ")]).error
                    == "invalid_grant")
            #expect(try await app.client.token(Self.grant).error == "invalid_request")
        }
    }

    @Test("nobody guesses codes, and no other site's form types one")
    func guessing() async throws {
        try await withApp { server, app in
            let device = try await Device.begin(app), browser = PageBrowser(server.address)
            let form = try await browser.get("/device")
            var statuses: [Int] = []
            for _ in 0..<24 {
                statuses.append(
                    try await browser.submit(form, ["user_code": "BBBB-BBBB"]).status)
            }
            #expect(statuses.prefix(20).allSatisfy { $0 == 400 })
            #expect(statuses.suffix(4).allSatisfy { $0 == 429 }, "\(statuses)")
            server.time.advance(.seconds(30))
            let foreign = try await PageBrowser(server.address).post(
                "/device", ["user_code": device.userCode, "action": "allow"])
            #expect(foreign.location == "/device")
            #expect(try await device.ask().error == "authorization_pending")
        }
    }

    @Test("the code, its app, and its key belong together")
    func binding() async throws {
        try await withApp(type: .confidential) { server, app in
            let other = try await PageApp.create(
                server, id: "other", ["device_authorization": true])
            var bound = app.client
            bound.key = try SoftwareSigner.generate(.es256)
            let device = try await Device.begin(bound, [("scope", "openid")])
            let browser = PageBrowser(server.address)
            _ = try await Self.approve(device.userCode, in: browser)
            #expect(try await device.ask(other.client).error == "invalid_grant")
            #expect(try await device.ask(app.client).error == "invalid_grant", "without the key")
            var thief = app.client
            thief.key = try SoftwareSigner.generate(.es256)
            #expect(try await device.ask(thief).error == "invalid_grant")
            var nobody = app.client
            nobody.secret = "other.secret"
            #expect(try await device.ask(nobody).status == 401)
            let tokens = try await device.ask()
            #expect(tokens.status == 200 && tokens["token_type"] == "DPoP")
            let claims = try TokenClient.claims(tokens["access_token"])
            #expect(claims["cnf"]?["jkt"]?.stringValue == bound.key?.publicKey.thumbprint)
        }
    }

    @Test("an app whose tokens need a key gets none without, and its code stays")
    func demanded() async throws {
        try await withApp(["requires_dpop": true]) { server, app in
            let device = try await Device.begin(app), browser = PageBrowser(server.address)
            _ = try await Self.approve(device.userCode, in: browser)
            #expect(try await device.ask().error == "invalid_dpop_proof")
            var bound = app.client
            bound.key = try SoftwareSigner.generate(.es256)
            #expect(try await device.ask(bound).status == 200)
        }
    }

    @Test("the grant is off by default, and what an app asks of a sign-in holds")
    func policy() async throws {
        try await withApp { server, app in
            let plain = try await PageApp.create(server, id: "plain", type: .public)
            #expect(try await Device.begin(plain).began.error == "unauthorized_client")
            let discovery = try await server.send(.get, "/.well-known/openid-configuration").body
            #expect(
                discovery["device_authorization_endpoint"]?.stringValue
                    == server.issuer + "/oauth2/device_authorization")
            #expect(
                discovery["grant_types_supported"]?.arrayValue?.contains(.string(Self.grant))
                    == true)
            // A session that is older than the app accepts does not count.
            let browser = PageBrowser(server.address)
            _ = try await app.visit(in: browser)
            server.time.advance(.seconds(120))
            let device = try await Device.begin(app, [("scope", "openid"), ("max_age", "60")])
            let question = try await Self.type(device.userCode, in: browser)
            let agreed = try await browser.submit(
                question, ["user_code": device.userCode, "action": "allow"])
            let page = try await browser.open(try #require(agreed.location))
            #expect(page.text.contains("f_password") || page.text.contains("name=\"account\""))
            #expect(try await device.ask().error == "authorization_pending")
            // The administrator turned the grant off meanwhile.
            _ = try await server.admin.updateApp(
                #require(AppID("tv")), AppRequest(name: "Web", settings: ["sign_in_page": true]))
            #expect(try await device.ask().error == "unauthorized_client")
        }
    }

    @Test("a suspended person's approval gives nothing")
    func suspended() async throws {
        try await withApp { server, app in
            let device = try await Device.begin(app), browser = PageBrowser(server.address)
            _ = try await Self.approve(device.userCode, in: browser)
            _ = try await server.admin.updateUser(
                server.userID("ada"), UserRequest(state: .suspended))
            #expect(try await device.ask().error == "invalid_grant")
        }
    }

    // MARK: The value

    private static func made() -> DeviceAuthorization {
        var generator = SystemRandomNumberGenerator()
        return DeviceAuthorization(
            app: AppID("tv")!, scope: "openid", resources: [], acrValues: [], maxAge: nil,
            thumbprint: nil, userCode: .random(using: &generator),
            expiresAt: Instant(seconds: 600))
    }

    private static let proof = PageProof(
        account: UserID("usr_1")!, grant: GrantID("grt_1")!, journey: "sign-in", methods: ["pwd"],
        at: Instant(seconds: 1), epoch: 0, authenticators: [], isRecovery: false)

    @Test func `the first decision counts, and none after the end`() {
        let decisions: [DeviceAuthorization.State] = [
            .denied, .approved(.init(proof: Self.proof, organization: "")),
        ]
        for first in decisions {
            for second in decisions + [.waiting] {
                var device = Self.made()
                let isDecided = device.decide(first, at: Instant(seconds: 599))
                let isChanged = device.decide(second, at: Instant(seconds: 599))
                #expect(isDecided && !isChanged)
                #expect(device.state == first)
                #expect(device.ask(at: Instant(seconds: 600)) == .expired)
            }
            var late = Self.made()
            let isDecided = late.decide(first, at: Instant(seconds: 600))
            #expect(!isDecided && late.state == .waiting)
        }
    }

    @Test func `each hasty question makes the pause longer, up to a minute`() {
        var device = Self.made()
        #expect(device.ask(at: Instant(seconds: 0)) == .waiting)
        for wanted in stride(from: 10, through: 60, by: 5) {
            #expect(device.ask(at: Instant(seconds: 0)) == .tooSoon)
            #expect(device.interval == wanted)
        }
        #expect(device.ask(at: Instant(seconds: 0)) == .tooSoon && device.interval == 60)
        #expect(device.ask(at: Instant(seconds: 60)) == .waiting)
    }

    @Test(arguments: [
        ("WDJB-MJHT", "WDJBMJHT"), ("wdjb mjht", "WDJBMJHT"), (" w-d-j-b-m-j-h-t ", "WDJBMJHT"),
        ("WDJB-MJH", nil), ("WDJB-MJHTT", nil), ("WDJB-MJHA", nil), ("WDJB-MJH0", nil), ("", nil),
        (String(repeating: "-", count: 100) + "WDJBMJHT", nil), ("ＷDJBMJHT", nil),
    ])
    func `a typed code is read as people type it`(typed: String, read: String?) {
        #expect(DeviceUserCode(typed: typed)?.text == read)
    }

    @Test func `codes are random and readable`() {
        var generator = SystemRandomNumberGenerator()
        let codes = (0..<1000).map { _ in DeviceUserCode.random(using: &generator) }
        #expect(Set(codes).count > 990)
        #expect(codes.allSatisfy { DeviceUserCode(typed: $0.shown) == $0 })
        #expect(Set(codes.joined(of: \.text)) == Set("BCDFGHJKLMNPQRSTVWXZ"))
    }
}

extension Sequence {
    fileprivate func joined(of path: KeyPath<Element, String>) -> [Character] {
        flatMap { Array($0[keyPath: path]) }
    }
}
