import Foundation
import MienAPI
import MienClient
import MienCore
import MienServerTesting
import MienTesting
import Testing

/// People, what they have, and how they confirm.
extension StepUpPagesTests {
    /// An authenticator that an account may have.
    enum Thing: String, CaseIterable {
        case face, token, codes, passkey
        /// A key in an app on a device, which proves two factors, and which no page can ask for.
        case device
    }

    /// A person, what they have, and their browser.
    struct Person {
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
    static func person(
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
    static func addFace(_ access: String?, on server: TestServer) async throws {
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
}
