import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

/// Tests `authenticate(redirectURI:)` against the sign-in page of a real server.
@Suite("Sessions and the sign-in page", .enabled(if: Installed.isThere, Installed.reason))
struct SignInPageSessionTests {
    private static let redirect = "com.example.shop://signed-in/back"
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// Fills in the page as a person in a browser does, and returns the URL it redirects to.
    @Sendable private static func browse(_ url: String) async throws -> String {
        let components = try #require(URLComponents(string: url)),
            server = "\(components.scheme!)://\(components.host!):\(components.port!)"
        return try #require(try await PageBrowser(server).signIn(url).location)
    }

    private func withSession(
        usesDPoP: Bool = true, _ body: @Sendable (TestServer, MienSession) async throws -> Void
    ) async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            _ = try await server.admin.createApp(
                AppRequest(
                    id: "shop", name: "Shop",
                    settings: ["redirect_uris": [.string(Self.redirect)], "sign_in_page": true]))
            let options = MienOptions(
                serverPath: server.address, applicationId: "shop",
                retry: RetryPolicy(attempts: 1), usesDPoP: usesDPoP)
            let session = try MienSession(
                options, tokenStorage: TransientTokenStorage(), now: { server.time.now })
            try await session.configure()
            try await body(server, session)
        }
    }

    @Test(
        "authenticate signs in on the page, with PKCE and a key-bound code",
        arguments: [true, false])
    func authenticate(usesDPoP: Bool) async throws {
        try await withSession(usesDPoP: usesDPoP) { server, session in
            let user = try await session.authenticate(
                redirectURI: Self.redirect, SignInPageOptions(loginHint: "ada")
            ) { page in
                #expect(page.url.hasPrefix(server.address + "/oauth2/authorize?"))
                #expect(page.callbackScheme == "com.example.shop")
                let query = try #require(URLComponents(string: page.url)?.queryItems)
                let fields = Dictionary(
                    uniqueKeysWithValues: query.map { ($0.name, $0.value ?? "") })
                #expect(fields["code_challenge_method"] == "S256" && fields["login_hint"] == "ada")
                #expect((fields["dpop_jkt"] != nil) == usesDPoP)
                #expect(Base64URL.decode(fields["state"] ?? "")?.count == 16)
                #expect("\(page)".contains(fields["state"] ?? "") == false)
                return try await Self.browse(page.url)
            }
            #expect(try await user.sub == server.userID("ada").text)
            #expect(await session.state == .signedIn)
            #expect(await session.authenticationMethods == ["pwd"])
            let claims = try await TokenClient.claims(session.accessToken().use { $0 })
            #expect((claims["cnf"] != nil) == usesDPoP)
            // The refresh token works.
            server.time.advance(.seconds(1790))
            #expect(try await session.userInfo() == user)
            #expect(await session.authenticationMethods == ["pwd"])
            try await session.signOut()
            #expect(await session.authenticationMethods.isEmpty)
        }
    }

    /// A change of a redirect, and the error that it causes.
    private struct Forgery: Sendable {
        let name: String
        let code: MienError.Code
        let change: @Sendable (String) -> String

        init(
            _ name: String, _ code: MienError.Code, _ change: @escaping @Sendable (String) -> String
        ) { (self.name, self.code, self.change) = (name, code, change) }
    }

    @Test("a redirect of another sign-in, another server, or with changed parameters is refused")
    func forged() async throws {
        try await withSession { server, session in
            let changes: [Forgery] = [
                Forgery("another state", .invalidState) {
                    $0.replacing(#/state=[^&]*/#, with: "state=AAAAAAAAAAAAAAAAAAAAAA")
                },
                Forgery("no state", .invalidState) { $0.replacing(#/&state=[^&]*/#, with: "") },
                Forgery("another issuer", .invalidState) {
                    $0.replacing(#/iss=[^&]*/#, with: "iss=https%3A%2F%2Fevil.example")
                },
                Forgery("no issuer", .invalidState) { $0.replacing(#/&iss=[^&]*/#, with: "") },
                Forgery("two codes", .invalidState) { $0 + "&code=AAAA" },
                Forgery("another address", .invalidState) {
                    $0.replacing("signed-in/back", with: "signed-in/other")
                },
                Forgery("a longer address", .invalidState) {
                    $0.replacing("signed-in/back", with: "signed-in/backdoor")
                },
                Forgery("no code", .invalidState) { $0.replacing(#/code=[^&]*&/#, with: "") },
                Forgery("a made-up code", .oauthError) {
                    $0.replacing(#/code=[^&]*/#, with: "code=" + String(repeating: "A", count: 43))
                },
            ]
            for forgery in changes {
                let (name, code) = (forgery.name, forgery.code)
                let error = await #expect(throws: MienError.self, "\(name)") {
                    try await session.authenticate(redirectURI: Self.redirect) {
                        forgery.change(try await Self.browse($0.url))
                    }
                }
                #expect(error?.code == code, "\(name)")
                #expect(await session.state == .signedOut(.notYet), "\(name)")
            }
            // A redirect answers only the visit that it belongs to.
            let first = try await session.signInPage(redirectURI: Self.redirect),
                second = try await session.signInPage(redirectURI: Self.redirect)
            let back = try await Self.browse(first.url)
            await #expect(throws: MienError.self) {
                try await session.signIn(on: second, redirect: back)
            }
            try await session.signIn(on: first, redirect: back)
            #expect(await session.state == .signedIn)
        }
    }

    @Test("the page's error is reported, and so is a person who closes the browser")
    func refused() async throws {
        try await withSession { server, session in
            let error = await #expect(throws: MienError.self) {
                try await session.authenticate(
                    redirectURI: Self.redirect, SignInPageOptions(scopes: ["every\\thing"])
                ) { try await Self.browse($0.url) }
            }
            #expect(error?.code == .oauthError && error?.oauthError == "invalid_scope")
            await #expect(throws: CancellationError.self) {
                try await session.authenticate(redirectURI: Self.redirect) { _ in
                    throw CancellationError()
                }
            }
            #expect(await session.state == .signedOut(.notYet))
        }
    }

    @Test(
        "the facade starts journeys as the signed-in user: a device key is registered, and a password strengthens the sign-in"
    )
    @MainActor func facade() async throws {
        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            for name in ["register-device"] {
                let bytes = try Data(
                    contentsOf: Repository.root.appending(path: "Examples/Journeys/\(name).json"))
                let id = try #require(JourneyID(name))
                _ = try await server.admin.putJourney(id, version: 1, definition: Array(bytes))
                _ = try await server.admin.publishJourney(id, version: 1)
            }
            try await Self.registerThroughFacade(server, user)
        }
    }

    @MainActor private static func registerThroughFacade(_ server: TestServer, _ user: UserID)
        async throws
    {
        let options = MienOptions(serverPath: server.address, retry: RetryPolicy(attempts: 1))
        try Mien.initialize(options)
        let session = try MienSession(
            options, tokenStorage: TransientTokenStorage(), now: { server.time.now })
        try await session.configure()
        await #expect(throws: MienError.self, "nobody is signed in") {
            try await Mien.startJourney("register-device", session: session)
        }
        let form = try await Mien.startJourney("password-login")
        #expect(form.journeyStepId == .loginForm)
        let success = try await Mien.submitClientResponse(
            clientResponseOptionId: "password",
            data: ["username": "ada", "password": "a password nobody has"])
        try await session.signIn(journeyToken: try #require(success.token))

        let anonymous = try await Mien.startJourney("register-device")
        #expect(anonymous.errorData?["reason"] == "not_signed_in")
        let signer = try SoftwareSigner.generate(.es256)
        let step = try await Mien.startJourney("register-device", session: session)
        #expect(step.journeyStepId == .registerNativeBiometrics)
        #expect(step.data?["user_identifier"]?.stringValue == user.text)
        let end = try await Mien.submitClientResponse(
            clientResponseOptionId: .clientInput,
            data: [
                "publicKey": .string(Data(signer.publicKey.spki).base64EncodedString()),
                "publicKeyId": "phone-of-ada", "os": "linux",
            ])
        #expect(end.journeyStepId == .success)

        // A journey with a password step renews the sign-in that it started with.
        server.time.advance(.seconds(1000))
        let again = try await Mien.startJourney("password-login", session: session)
        #expect(again.journeyStepId == .loginForm)
        let stepUp = try await Mien.submitClientResponse(
            clientResponseOptionId: "password",
            data: ["username": "ada", "password": "a password nobody has"])
        let claims = try #require(try stepUp.token?.use { try TokenClient.claims($0) })
        #expect(claims["sid"] != nil, "the token names the session's own sign-in")
        // A change that needs a fresh sign-in is accepted now.
        #expect(try await session.makeRecoveryCodes().count == 10)
    }
}
