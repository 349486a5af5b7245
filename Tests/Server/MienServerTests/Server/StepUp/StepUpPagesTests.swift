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
    static let app = "default_application", password = "a password nobody has"
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

    private static let combinations: [Set<Thing>] = (0..<1 << Thing.allCases.count).map { bits in
        Set(Thing.allCases.enumerated().filter { bits & (1 << $0.offset) != 0 }.map(\.element))
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
