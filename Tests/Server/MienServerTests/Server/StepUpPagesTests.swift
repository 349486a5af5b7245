import Foundation
import MienAPI
import MienClient
import MienCore
import MienServerTesting
import MienTesting
import Testing

/// Tests that every change on the account pages is within reach, whatever the account has.
@Suite("Step-ups of the account pages", .enabled(if: Installed.isThere, Installed.reason))
struct StepUpPagesTests {
    private static let app = "default_application", password = "a password nobody has"
    private static let journeys = [
        (
            "code",
            #"""
            "form": {"type": "login_form", "config": {"branches": [{"id": "otp"}], "output_variable": "form"}, "on": {"otp": "next"}},
            "next": {"type": "authenticate_otp", "config": {"user_identifier": "form.user_identifier"}, "on": {"success": "done", "failure": "no"}},
            "no": {"type": "reject_access"}, "done": {"type": "complete_journey"}
            """#
        ),
        (
            "any",
            #"""
            "form": {"type": "login_form", "config": {"branches": [{"id": "face"}, {"id": "passkey"}, {"id": "otp"},
                {"id": "recovery_code", "label": "Recovery code", "schema": {"type": "object", "required": ["user_identifier", "code"],
                  "properties": {"user_identifier": {"type": "string", "title": "User name", "format": "username", "maxLength": 254},
                    "code": {"type": "string", "title": "Recovery code", "format": "password", "maxLength": 64, "sensitive": true}}}}],
                "output_variable": "form"},
              "on": {"face": "selfie", "passkey": "no", "otp": "check_code", "recovery_code": "check_recovery"}},
            "selfie": {"type": "selfie_acquisition", "config": {"output_variable": "selfie_data", "user_identifier": "form.user_identifier"},
              "on": {"success": "check_face", "failure": "no"}},
            "check_face": {"type": "authenticate_face", "config": {"user_identifier": "form.user_identifier"}, "on": {"success": "done", "failure": "no"}},
            "check_code": {"type": "authenticate_otp", "config": {"user_identifier": "form.user_identifier"}, "on": {"success": "done", "failure": "no"}},
            "check_recovery": {"type": "recovery_code_authentication", "config": {"user_identifier": "form.user_identifier", "code": "form.code"},
              "on": {"success": "done", "failure": "no"}},
            "no": {"type": "reject_access"}, "done": {"type": "complete_journey"}
            """#
        ),
        (
            "mail",
            #"""
            "form": {"type": "login_form", "config": {"branches": [{"id": "email_code"}], "output_variable": "form"}, "on": {"email_code": "check"}},
            "check": {"type": "email_otp_authentication", "config": {"user_identifier": "form.user_identifier"}, "on": {"success": "done", "failure": "no"}},
            "no": {"type": "reject_access"}, "done": {"type": "complete_journey"}
            """#
        ),
    ]
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// - Parameter hasJourneys: Whether the server has more than the journeys of a new one.
    private func run(
        _ settings: [String: String] = [:], time: HandClock = HandClock(),
        hasJourneys: Bool = true, _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let all = [
            "MIEN_PUBLIC_URL": SoftwarePasskey.origin, "MIEN_LIMIT_STARTS_PER_MINUTE": "10000",
            "MIEN_LIMIT_GUESSES_PER_MINUTE": "10000",
            "MIEN_LIMIT_REQUESTS_PER_MINUTE": "100000",
        ].merging(settings) { $1 }
        try await TestServer.run(in: scratch, settings: all, time: time) { server in
            _ = try await server.admin.updateApp(
                AppID(Self.app)!, AppRequest(name: "Sample", settings: ["sign_in_page": true]))
            for (id, steps) in hasJourneys ? Self.journeys : [] {
                let text =
                    #"{"id": "\#(id)", "version": 1, "title": "Tokens", "start": "form", "steps": {\#(steps)}}"#
                _ = try await server.admin.putJourney(
                    JourneyID(id)!, version: 1, definition: Array(text.utf8))
                _ = try await server.admin.publishJourney(JourneyID(id)!, version: 1)
            }
            try await body(server)
        }
    }

    // MARK: Accounts

    /// An authenticator that an account may have.
    private enum Thing: String, CaseIterable {
        case face, token, codes, passkey
        /// A key in an app on a device, which proves two factors, and which no page can ask for.
        case device
    }

    /// A person, what they have, and their browser.
    private struct Person {
        let server: TestServer
        let name: String
        var things: Set<Thing>
        let hasPassword: Bool
        var passkey: SoftwarePasskey?
        var token: TokenDevice.Token?
        var codes: [String] = []
        /// How many mailed codes there were.
        var mailed = 0
        let browser: PageBrowser

        /// Whether the ways that a browser can ask for lead to the strength of a change that adds
        /// something.
        var canAdd: Bool {
            let factors = things.intersection([.face, .token]).count + (hasPassword ? 1 : 0)
            return !things.contains(.device) || things.contains(.passkey) || !codes.isEmpty
                || factors >= 2
        }

        /// Signs in on the page with the password, or else with one of the person's things.
        mutating func signIn() async throws {
            if hasPassword {
                _ = try await browser.signIn("/signin", name: name)
                return
            }
            let page = try await browser.open("/signin")
            let end: PageBrowser.Page
            if things.contains(.passkey) {
                end = try await confirm(page, turn: 0)
            } else if things.contains(.codes), !things.contains(.face), !things.contains(.token) {
                end = try await recover(page)
            } else {
                let option = things.contains(.face) ? "face" : "otp"
                end = try await confirm(
                    try await browser.submit(page, ["option": option, "f_user_identifier": name]),
                    turn: 1)
            }
            try #require(end.location == "/account", "\(name): \(end.text)")
        }

        /// Signs in again if a change ended the sign-in.
        mutating func staySignedIn() async throws {
            if try await browser.get("/account").status == 200 { return }
            // A counting app accepts each code once.
            server.time.advance(.seconds(31))
            try await signIn()
            server.time.advance(.seconds(31))
        }

        /// Notes that something was removed.
        mutating func forget(_ thing: Thing) {
            things.remove(thing)
            switch thing {
            case .passkey: passkey = nil
            case .token: token = nil
            case .codes: codes = []
            case .face, .device: break
            }
        }

        /// Signs in with the next recovery code.
        private mutating func recover(_ page: PageBrowser.Page) async throws -> PageBrowser.Page {
            try #require(!codes.isEmpty, "\(name) has no recovery codes left: \(page.text)")
            return try await browser.submit(
                page,
                [
                    "option": "recovery_code", "f_user_identifier": name,
                    "f_code": codes.removeFirst(),
                ])
        }

        /// Answers the pages of a step-up until it leads to where it began.
        ///
        /// - Parameter turn: Varies the way that is used where several are offered.
        mutating func confirm(_ page: PageBrowser.Page, turn: Int) async throws -> PageBrowser.Page
        {
            var page = page
            for _ in 0..<20 {
                if let next = page.location {
                    if !next.hasPrefix("/signin/") { return page }
                    page = try await browser.get(next)
                    continue
                }
                page = try await answer(page, turn)
            }
            Issue.record("\(name): the step-up does not end: \(page.text)")
            return page
        }

        private mutating func answer(_ page: PageBrowser.Page, _ turn: Int) async throws
            -> PageBrowser.Page
        {
            if page.text.contains("<mien-capture") {
                let token = try #require(await browser.cookies["__Host-mien_capture"])
                let taken = try await AsyncHTTPTransport().send(
                    HTTPTransportRequest(
                        method: .post, url: server.url("/v1/capture/frames"),
                        headers: [
                            "authorization": "Bearer \(token)", "content-type": "image/jpeg",
                        ], body: Installed.photo("obama2"), timeout: .seconds(60)))
                #expect(taken.status == 200)
                // No picture is kept, as the page says.
                #expect(!String(decoding: taken.body, as: UTF8.self).contains("keeps_picture"))
                return try await browser.submit(page, ["outcome": "done"])
            }
            // A branch of the journey's own, such as this one for recovery codes, is offered to everybody.
            let isUseless = page.hidden("option") == "recovery_code" && codes.isEmpty
            if page.text.contains("id=\"passkey-form\""), let passkey,
                turn.isMultiple(of: 2) || page.hidden("option") == nil || isUseless
            {
                let challenge = try #require(
                    page.text.firstMatch(of: /"challenge":"([^"]*)"/)?.output.1)
                let credential = try passkey.credential(
                    answering: ["challenge": .string(String(challenge))])
                return try await browser.submit(
                    page, ["credential": JSONText.write(credential)])
            }
            if let token, page.text.contains("name=\"f_passcode\"") {
                return try await browser.submit(
                    page,
                    [
                        "option": try #require(page.hidden("option")),
                        "f_passcode": try token.code(at: server.time.now),
                    ])
            }
            if page.text.contains("Check your email") {
                let mails = WaitingSteps(server: server), earlier = mailed
                try await eventually { try mails.codes().count > earlier }
                let codes = try mails.codes()
                mailed = codes.count
                return try await browser.submit(
                    page,
                    [
                        "option": try #require(page.hidden("option")),
                        "f_passcode": try #require(codes.last),
                    ])
            }
            switch page.hidden("option") {
            case "password":
                return try await browser.submit(
                    page,
                    [
                        "option": "password", "f_username": name,
                        "f_password": StepUpPagesTests.password,
                    ])
            case "recovery_code": return try await recover(page)
            case let option?:
                return try await browser.submit(
                    page, ["option": option, "f_user_identifier": name])
            case nil:
                Issue.record("\(name): the page offers nothing: \(page.text)")
                throw CancellationError()
            }
        }
    }

    /// - Parameters:
    ///   - maker: Attests the keys of devices.
    ///   - hasPassword: Whether the account keeps the password with which the rest was registered.
    private static func person(
        _ things: Set<Thing>, _ index: Int, on server: TestServer, maker: DeviceMaker? = nil,
        hasPassword: Bool = true
    ) async throws -> Person {
        let name = "ada\(index)", user = try await server.makeUser(name)
        let client = TokenClient(server: server)
        var person = Person(
            server: server, name: name, things: things, hasPassword: hasPassword,
            browser: PageBrowser(server.address))
        // A passkey proves enough for everything that is added. It goes at the end if the person is to
        // have none.
        let passkey = try SoftwarePasskey(client).with {
            $0.userHandle = Array(user.text.utf8)
            // Some authenticators do not count.
            $0.counter = 0
        }
        let first = try await client.signIn(name)["access_token"]
        #expect(try await passkey.register(first).status == 200)
        let access = try await passkey.signIn()["access_token"]
        if things.contains(.codes) {
            let made = try await client.send(
                .post, "/v1/me/recovery-codes", SoftwarePasskey.headers(access), "{}")
            person.codes = (made.body["codes"]?.arrayValue ?? []).compactMap(\.stringValue)
            #expect(person.codes.count == 10, "\(made.body)")
        }
        if things.contains(.device), let maker {
            let device = try WireDevice(client, issuer: SoftwarePasskey.origin)
            let challenge = try await client.challenge()
            let attestation = try maker.android(device.signer.publicKey, challenge)
            let made = try await device.setUp(
                access,
                jwt: device.request(
                    "setup", challenge: challenge, claims: ["attestation": attestation]))
            #expect(made.status == 200, "\(made.body)")
        }
        if things.contains(.token) {
            let offered = try await server.sendJSON(
                .post, "/v1/me/otp/registrations", body: "{}", access: access)
            person.token = try await TokenDevice().redeem(
                try #require(offered.body["registration_code"]?.stringValue, "\(offered)"), server)
        }
        if things.contains(.face) { try await addFace(access, on: server) }
        func remove(_ type: AuthenticatorType) async throws {
            let all = try await server.admin.authenticators(of: user)
            let id = try #require(all.first { $0.type == .known(type) }?.id)
            try await server.admin.removeAuthenticator(try #require(AuthenticatorID(id)), of: user)
        }
        if things.contains(.passkey) {
            person.passkey = passkey
        } else {
            try await remove(.passkey)
        }
        if !hasPassword { try await remove(.password) }
        return person
    }

    /// Registers a face as the account page does.
    private static func addFace(_ access: String?, on server: TestServer) async throws {
        let begun = try await server.sendJSON(
            .post, "/v1/journeys/add-face/start", body: #"{"client_id": "\#(app)"}"#,
            access: access)
        let data = begun.body["data"]
        let token = try #require(
            (data?["payload"]?["start_token"] ?? data?["start_token"])?.stringValue,
            "\(begun.body)")
        let session = try CaptureSession(
            startToken: Sensitive(token), MienOptions(serverPath: server.address))
        if let text = try await session.start().consent {
            try await session.giveConsent(to: text)
        }
        try await session.submitFrame(Installed.photo("obama"))
        let body: JSONValue = [
            "state": begun.body["state"] ?? .null, "option": "client_input", "data": .null,
        ]
        let answer = try await server.sendJSON(
            .post, "/v1/journeys/respond", body: JSONText.write(body))
        #expect(answer.body["journey_step_id"] == "success", "\(answer.body)")
    }

    // MARK: Changes

    /// A change of the account page: how it begins, and how it shows that it is allowed.
    private enum Change: CaseIterable {
        case passkey, password, codes, face, data, deletion

        func begin(_ person: Person) async throws -> PageBrowser.Page {
            let browser = person.browser
            func post(_ address: String) async throws -> PageBrowser.Page {
                let page = try await browser.open("/account")
                return try await browser.post(address, ["csrf": page.hidden("csrf") ?? ""])
            }
            return switch self {
            case .passkey: try await browser.get("/account/passkey")
            case .password: try await browser.get("/account/password")
            case .data: try await browser.get("/account/data")
            case .codes: try await post("/account/recovery-codes")
            case .face: try await post("/account/face")
            case .deletion: try await post("/account/remove/account/me")
            }
        }

        func isDone(_ page: PageBrowser.Page) -> Bool {
            switch self {
            case .passkey: page.text.contains("\"passkey\":{")
            case .password: page.text.contains("name=\"new\"")
            case .data: page.headers["content-disposition"] != nil
            case .codes: page.text.contains("class=\"codes\"")
            case .face: page.location?.hasPrefix("/signin/") == true
            case .deletion: page.text.contains("Your account is deleted")
            }
        }

        /// Whether the change needs the strongest sign-in that the account allows. Any recent one
        /// will do for the download.
        var isStrong: Bool { self != .data }

        /// The page to which a step-up returns.
        var beginning: String {
            switch self {
            case .passkey: "/account/passkey"
            case .password: "/account/password"
            case .data: "/account/data"
            case .codes: "/account?done=account_done_confirmed#s-codes"
            case .face: "/account?done=account_done_confirmed#s-faces"
            case .deletion: "/account/remove/account/me"
            }
        }
    }

    private static let combinations: [Set<Thing>] = (0..<1 << Thing.allCases.count).map { bits in
        Set(Thing.allCases.enumerated().filter { bits & (1 << $0.offset) != 0 }.map(\.element))
    }

    /// Makes every change, and asks whether each takes at most one step-up; where nothing in a
    /// browser is enough, whether the page says so and changes nothing.
    private static func makeEveryChange(_ person: inout Person, _ index: Int) async throws {
        let server = person.server
        for (turn, change) in Change.allCases.enumerated() {
            let what = "\(person.things.map(\.rawValue).sorted()) \(change)"
            if change == .deletion { try await removeEverything(of: &person, index) }
            // The sign-in becomes too old, so that everything has to be proved again.
            if turn > 0 {
                server.time.advance(.seconds(301))
                // A sign-in ends with what it used, such as a set of codes that was replaced.
                try await person.staySignedIn()
            }
            var page = try await change.begin(person)
            if !person.canAdd, change.isStrong {
                #expect(!change.isDone(page), "\(what)")
                #expect(page.text.contains("The app on your device"), "\(what): \(page.text)")
                #expect(!page.text.contains("href=\"/signin/"), "\(what): a way that leads nowhere")
                continue
            }
            if !change.isDone(page) {
                let link = try #require(
                    page.text.firstMatch(of: /href="(\/signin\/[^"]*)"/)?.output.1,
                    "\(what): \(page)")
                page = try await person.confirm(
                    try await person.browser.get(String(link)), turn: turn + index)
                #expect(page.location == change.beginning, "\(what)")
                page = try await change.begin(person)
            }
            #expect(change.isDone(page), "\(what): \(page.status) \(page.text)")
            if change == .codes {
                person.codes = page.text.matches(of: /<li>([^<]+)<\/li>/).map {
                    String($0.output.1)
                }
                #expect(person.codes.count == 10, "\(what)")
            }
        }
        let isThere = try await server.admin.findUser(person.name) != nil
        #expect(isThere == !person.canAdd, "\(person.things)")
        // The key of the device can go without the device.
        if isThere { try await remove("biometric", .device, of: &person) }
    }

    // MARK: Removals

    /// Removes all that the account page offers, except for the last way to sign in, the key of a
    /// device, and the account.
    private static func removeEverything(of person: inout Person, _ index: Int) async throws {
        if person.hasPassword {
            let other = PageBrowser(person.server.address)
            _ = try await other.signIn("/signin", name: person.name)
            try await remove("others", nil, of: &person)
            #expect(try await other.get("/account").location?.hasPrefix("/signin/") == true)
        }
        for thing in Thing.allCases where thing != .device && person.things.contains(thing) {
            guard person.hasPassword || person.things.subtracting([.device]).count > 1 else {
                break
            }
            // A withdrawn consent takes the face with it.
            let isConsent = thing == .face && !index.isMultiple(of: 2)
            try await remove(isConsent ? "consent" : thing.rawValue, thing, of: &person)
        }
        try await person.staySignedIn()
    }

    /// Removes something, and asks whether that takes at most one step-up.
    private static func remove(_ kind: String, _ thing: Thing?, of person: inout Person)
        async throws
    {
        let browser = person.browser
        let what = "\(person.things.map(\.rawValue).sorted()) without \(kind)"
        try await person.staySignedIn()
        person.server.time.advance(.seconds(301))
        let pattern = try Regex(
            "href=\"(/account/remove/\(kind)/[^\"]*)\"", as: (Substring, Substring).self)
        let list = try await browser.open("/account")
        let address = String(
            try #require(list.text.firstMatch(of: pattern)?.output.1, "\(what): \(list.text)"))
        func begin() async throws -> PageBrowser.Page {
            let page = try await browser.open("/account")
            return try await browser.post(address, ["csrf": page.hidden("csrf") ?? ""])
        }
        var page = try await begin()
        if page.location == nil {
            let link = try #require(
                page.text.firstMatch(of: /href="(\/signin\/[^"]*)"/)?.output.1,
                "\(what): \(page.text)")
            page = try await person.confirm(try await browser.get(String(link)), turn: 0)
            #expect(page.location == address, "\(what)")
            page = try await begin()
        }
        #expect(
            page.location?.contains("done=account_done_\(kind)") == true,
            "\(what): \(page.status) \(page.text)")
        if let thing { person.forget(thing) }
    }

    @Test(
        "with every combination of ways, each change takes at most one step-up or says what is left",
        arguments: [true, false], [false, true])
    func everyCombination(hasPassword: Bool, hasDevice: Bool) async throws {
        let maker = try DeviceMaker(scratch("maker"))
        let settings = maker.settings.merging(["MIEN_IDENTITY_BIOMETRIC_LIST_ENABLED": "true"]) {
            $1
        }
        try await run(settings, time: HandClock(TestAuthority.now)) { server in
            // The standard journey asks for a password or a face.
            try await server.askForAttestation(
                hasPage: true, journey: hasPassword ? nil : "any")
            for (index, things) in Self.combinations.enumerated()
            where things.contains(.device) == hasDevice {
                // Nobody signs in on a page with nothing, or with a key of an app alone.
                if !hasPassword, things.isSubset(of: [.device]) { continue }
                // A counting app accepts each code once.
                server.time.advance(.seconds(31))
                var person = try await Self.person(
                    things, index, on: server, maker: maker, hasPassword: hasPassword)
                server.time.advance(.seconds(31))
                try await person.signIn()
                try await Self.makeEveryChange(&person, index)
            }
        }
    }

    @Test("with the journeys of a new server alone, each change takes at most one step-up, too")
    func defaultJourneys() async throws {
        try await run(hasJourneys: false) { server in
            let all: [Set<Thing>] = [
                [], [.face], [.passkey], [.face, .passkey], [.face, .codes],
                [.face, .codes, .passkey],
            ]
            for (index, things) in all.enumerated() {
                var person = try await Self.person(things, index, on: server)
                try await person.signIn()
                try await Self.makeEveryChange(&person, index)
            }
        }
    }

    @Test("the texts name the ways that the person has, and what is still missing")
    func texts() async throws {
        try await run { server in
            let person = try await Self.person([.face], 0, on: server), browser = person.browser
            _ = try await browser.signIn("/signin", name: person.name)
            var page = try await browser.get("/account/password")
            #expect(page.text.contains("You have just signed in with your password."))
            #expect(page.text.contains("also needs your face."))
            let link = try #require(page.text.firstMatch(of: /href="(\/signin\/[^"]*)"/)?.output.1)
            page = try await browser.get(String(link))
            #expect(page.text.contains("Continue with your face."))
            #expect(page.hidden("option") == "face" && !page.text.contains("f_password"))
            server.time.advance(.seconds(301))
            page = try await browser.get("/account/password")
            #expect(page.text.contains("with your face and your password."), "\(page.text)")
            page = try await browser.get("/account/data")
            #expect(
                page.text.contains("with your face or your password or a code sent by email."),
                "\(page.text)")
        }
    }

    @Test("an account with an email address alone confirms with a mailed code")
    func mailedCode() async throws {
        try await run { server in
            _ = try await server.admin.updateApp(
                AppID(Self.app)!,
                AppRequest(
                    name: "Sample", settings: ["sign_in_page": true, "sign_in_journey": "mail"]))
            var person = try await Self.person([], 0, on: server, hasPassword: false)
            let browser = person.browser
            let signedIn = try await person.confirm(browser.open("/signin"), turn: 1)
            #expect(signedIn.location == "/account")
            for change in Change.allCases {
                server.time.advance(.seconds(301))
                var page = try await change.begin(person)
                #expect(page.text.contains("with a code sent by email."), "\(change): \(page.text)")
                let link = try #require(
                    page.text.firstMatch(of: /href="(\/signin\/[^"]*)"/)?.output.1)
                page = try await person.confirm(try await browser.get(String(link)), turn: 1)
                #expect(page.location == change.beginning, "\(change)")
                page = try await change.begin(person)
                #expect(change.isDone(page), "\(change): \(page.text)")
            }
            #expect(try await server.admin.findUser(person.name) == nil)
        }
    }

    @Test("a step-up takes no proof of another account")
    func otherAccount() async throws {
        try await run { server in
            let person = try await Self.person([.face, .passkey], 0, on: server)
            let eve = try await Self.person([.passkey], 1, on: server), browser = person.browser
            _ = try await browser.signIn("/signin", name: person.name)
            let page = try await browser.get("/account/passkey")
            let link = try #require(page.text.firstMatch(of: /href="(\/signin\/[^"]*)"/)?.output.1)
            var form = try await browser.get(String(link))
            let challenge = try #require(
                form.text.firstMatch(of: /"challenge":"([^"]*)"/)?.output.1)
            let credential = try #require(eve.passkey).credential(
                answering: ["challenge": .string(String(challenge))])
            let refused = try await browser.submit(
                form, ["credential": JSONText.write(credential)])
            #expect(refused.status == 401 && refused.complaint != nil)
            form = try await browser.get(String(link))
            let named = try await browser.submit(
                form,
                ["option": "password", "f_username": eve.name, "f_password": Self.password])
            #expect(named.location?.hasPrefix("/signin/") != false)
            let after = try await browser.get("/account/passkey")
            #expect(!after.text.contains("\"passkey\":{"))
        }
    }

    @Test("a strength that only a device reaches is said, and recovery codes are offered")
    func unreachable() async throws {
        let maker = try DeviceMaker(scratch("maker"))
        try await run(maker.settings, time: HandClock(TestAuthority.now)) { server in
            let person = try await Self.person([.codes], 0, on: server), browser = person.browser
            try await server.askForAttestation(hasPage: true)
            let device = try WireDevice(
                TokenClient(server: server), issuer: SoftwarePasskey.origin)
            let access = try await device.client.signIn(person.name)["access_token"]
            let challenge = try await device.client.challenge()
            let attestation = try maker.android(device.signer.publicKey, challenge)
            let made = try await device.setUp(
                access,
                jwt: device.request(
                    "setup", challenge: challenge, claims: ["attestation": attestation]))
            #expect(made.status == 200, "\(made.body)")
            _ = try await browser.signIn("/signin", name: person.name)
            let page = try await browser.get("/account/passkey")
            #expect(page.text.contains("The app on your device"), "\(page.text)")
            let link = try #require(
                page.text.firstMatch(
                    of: /href="(\/signin\/[^"]*)">Use a recovery code/)?.output.1)
            let form = try await browser.get(String(link))
            let done = try await browser.submit(
                form,
                [
                    "option": "recovery_code", "f_user_identifier": person.name,
                    "f_code": try #require(person.codes.first),
                ])
            #expect(done.location == "/account/passkey", "\(done.text)")
            #expect(try await browser.get("/account/passkey").text.contains("\"passkey\":{"))
        }
    }
}
