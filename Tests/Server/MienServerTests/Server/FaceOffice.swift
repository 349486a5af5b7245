import Foundation
import MienAPI
import MienClient
import MienCore
import Testing

/// Three apps, `shop`, `bank`, and `games`, some of which share faces.
struct FaceOffice: Sendable {
    let server: TestServer
    let apps: [String: PageApp]
    let group: FaceGroupID

    init(_ server: TestServer, sharing: [String], maxAge: Int?) async throws {
        var apps: [String: PageApp] = [:]
        for id in ["shop", "bank", "games"] {
            let base: JSONValue = [
                "sign_in_page": true, "redirect_uris": [.string(PageApp.redirect)],
            ]
            _ = try await server.admin.createApp(
                AppRequest(
                    id: id, name: "App \(id)", type: .public, isFirstParty: true, settings: base))
            apps[id] = PageApp(server: server, id: id, secret: nil)
        }
        let made = try await server.admin.createFaceGroup(
            FaceGroupRequest(name: "Office", appIDs: sharing, maxAge: maxAge))
        (self.server, self.apps) = (server, apps)
        group = try #require(FaceGroupID(made.id))
    }

    func set(_ apps: [String]) async throws {
        _ = try await server.admin.updateFaceGroup(
            group, FaceGroupRequest(name: "Office", appIDs: apps))
    }

    func client(_ app: String) throws -> JourneyClient { try server.client(app: app) }

    func client(of app: String) -> TokenClient { TokenClient(server: server, app: app) }

    func faces(of user: UserID) async throws -> [AuthenticatorAnswer] {
        try await server.admin.authenticators(of: user).filter { $0.type == .known(.face) }
    }

    // MARK: Registering

    /// Registers a face after a password and a step that records consent.
    ///
    /// - Returns: The text of the consent.
    @discardableResult
    func register(_ name: String, _ photo: String = "obama", in app: String = "shop") async throws
        -> String
    {
        let (text, isDone) = try await registration(name, photo, in: app)
        try #require(isDone, "\(name) was not registered in \(app)")
        return text
    }

    func tryRegister(_ name: String, _ photo: String, in app: String) async throws -> Bool {
        try await registration(name, photo, in: app).isDone
    }

    private func registration(_ name: String, _ photo: String, in app: String) async throws -> (
        text: String, isDone: Bool
    ) {
        let journey = try await client(app).start("face-registration")
        var text = ""
        for try await step in journey.steps {
            switch step.id {
            case .loginForm:
                try await step.respond(
                    "password", ["username": .string(name), "password": "a password nobody has"])
            case .identityVerification:
                try await step.capture(Installed.frames([photo]))
                try await step.respond(.clientInput)
            default:
                text = step.data?["text"]?.stringValue ?? text
                try await step.respond(.clientInput)
            }
        }
        if case .success = await journey.outcome() { return (text, true) }
        return (text, false)
    }

    /// Signs in and begins a journey whose capture asks for the consent.
    ///
    /// - Parameter consent: Members of the setting `consent` of the registration.
    func capturing(
        _ name: String, in app: String, consent: String = #""text": "We store numbers.""#
    )
        async throws -> Journey
    {
        let text = """
            {"id": "enroll", "version": 1, "title": "Enroll", "start": "selfie", "requires_user": true, "steps": {
              "selfie": {"type": "selfie_acquisition", "on": {"success": "register", "failure": "no"}},
              "register": {"type": "register_face", "config": {"consent": {"text_version": "shop-2", \(consent)}},
                "on": {"success": "done", "failure": "no"}},
              "no": {"type": "reject_access"}, "done": {"type": "complete_journey"}}}
            """
        try await publish("enroll", text)
        let session = try MienSession(
            MienOptions(
                serverPath: server.address, applicationId: app, retry: RetryPolicy(attempts: 1)),
            tokenStorage: TransientTokenStorage(), now: { server.time.now })
        try await session.configure()
        let login = try await client(app).start("password-login")
        let end = try await login.respond(
            "password", ["username": .string(name), "password": "a password nobody has"])
        try await session.signIn(journeyToken: #require(end.token))
        return try await client(app).start("enroll", session: session)
    }

    private func publish(_ id: String, _ text: String) async throws {
        let id = JourneyID(id)!
        _ = try await server.admin.putJourney(id, version: 1, definition: Array(text.utf8))
        _ = try await server.admin.publishJourney(id, version: 1)
    }

    func capture(_ journey: Journey, _ session: CaptureSession, _ photo: String) async throws {
        let last = try await session.run(Installed.frames([photo]), consent: { _ in true })
        try #require(last.status == .known(.passed), "\(last)")
        let end = try await journey.respond(.clientInput)
        try #require(end.journeyStepId == .success)
    }

    /// Registers another face after a password and the present face.
    func replace(_ name: String, _ photo: String, with new: String, in app: String) async throws
        -> Bool
    {
        let text = """
            {"id": "again", "version": 1, "title": "Again", "start": "form", "steps": {
              "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "entered"},
                "on": {"password": "check"}},
              "check": {"type": "authenticate_password",
                "config": {"username": "entered.username", "password": "entered.password"},
                "on": {"success": "selfie", "failure": "no"}},
              "selfie": {"type": "selfie_acquisition", "config": {"cancel_behavior": "cancel_branch"},
                "on": {"success": "face", "failure": "no", "cancel": "done"}},
              "face": {"type": "authenticate_face", "on": {"success": "other", "failure": "no"}},
              "other": {"type": "selfie_acquisition", "on": {"success": "register", "failure": "no"}},
              "register": {"type": "register_face", "on": {"success": "done", "failure": "no"}},
              "no": {"type": "reject_access"}, "done": {"type": "complete_journey"}}}
            """
        try await publish("again", text)
        let journey = try await client(app).start("again")
        try await journey.respond(
            "password", ["username": .string(name), "password": "a password nobody has"])
        for photo in [photo, new] {
            let session = try await journey.captureSession()
            _ = try await session.run(Installed.frames([photo]), consent: { _ in true })
            try await journey.respond(.clientInput)
        }
        if case .success = await journey.outcome() { return true }
        return false
    }

    // MARK: Signing in

    /// - Returns: The journey's token; `nil` if the face was refused.
    func logIn(_ name: String, _ photo: String, in app: String) async throws -> Sensitive<String>? {
        try await server.logIn(name, photo: photo, from: client(app))
    }

    func exchange(_ token: Sensitive<String>, in app: String) async throws -> TokenClient.Answer {
        try await client(of: app).token(
            TokenClient.exchange,
            [
                ("subject_token", token.use { $0 }), ("subject_token_type", TokenClient.jwt),
                ("scope", "openid offline_access"),
            ])
    }

    func tokens(_ name: String, _ photo: String, in app: String) async throws -> TokenClient.Answer
    {
        let token = try #require(try await logIn(name, photo, in: app))
        let answer = try await exchange(token, in: app)
        try #require(answer.status == 200, "\(answer.body)")
        return answer
    }

    /// Signs in on the pages.
    ///
    /// - Parameter photo: What the camera shows; `nil` if no camera is asked for.
    /// - Returns: The app's code.
    func code(in browser: PageBrowser, app: String, photo: String?, as name: String = "ada")
        async throws -> String
    {
        let query = try #require(apps[app]).query()
        var page = try await browser.open("/oauth2/authorize?\(query)")
        if let photo {
            try #require(page.location == nil, "the app was not asked for a face")
            page = try await browser.submit(page, ["option": "face", "f_user_identifier": name])
            page = try await browser.open(try #require(page.location))
            let token = try #require(await browser.cookies["mien_capture"])
            _ = try await AsyncHTTPTransport().send(
                HTTPTransportRequest(
                    method: .post, url: server.url("/v1/capture/frames"),
                    headers: ["authorization": "Bearer \(token)", "content-type": "image/jpeg"],
                    body: Installed.photo(photo), timeout: .seconds(60)))
            page = try await browser.submit(page, ["outcome": "done"])
        }
        return try #require(page.parameters["code"], "\(page.status) \(page.location ?? page.text)")
    }

    func tokens(in browser: PageBrowser, app: String, photo: String?) async throws
        -> TokenClient.Answer
    {
        let page = try #require(apps[app])
        let answer = try await page.redeem(code(in: browser, app: app, photo: photo))
        try #require(answer.status == 200, "\(answer.body)")
        return answer
    }
}
