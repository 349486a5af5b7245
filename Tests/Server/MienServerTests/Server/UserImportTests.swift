import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienStore
import MienTesting
import Testing

@testable import MienServer

/// People who come from another product.
@Suite("Importing people", .enabled(if: Installed.isThere, Installed.reason))
struct UserImportTests {
    private let scratch: ScratchFolder
    private static let password = "a password nobody has"
    /// Hashes of ``password``.
    private static let hashes = [
        "bcrypt": "$2y$05$CCCCCCCCCCCCCCCCCCCCC.u880NXWiJEO95k1HUqtmBBEqnqSKqle",
        "pbkdf2":
            "$pbkdf2-sha512$i=1000$MDEyMzQ1Njc4OWFiY2RlZg$ZGmtGTVS9jxtOei1/j8Xq5WxdpKFd95GH9lGFiugZGM",
        "scrypt":
            "$scrypt$ln=10,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$4pBeJqinMpMcktwGk9d43tbCK/gMoY8tGsty320ztFQ",
    ]

    init() throws { scratch = try ScratchFolder() }

    private static func line(_ members: [String: JSONValue]) -> String {
        JSONText.write(.object(members))
    }

    private static func send(
        _ server: TestServer, _ text: String, _ format: PeopleRecords.Format = .jsonLines,
        updating: Bool = false, isDryRun: Bool = false, otpApp: AppID? = nil
    ) async throws -> UserImportAnswer {
        try await server.admin.importUsers(
            Array(text.utf8), format, updating: updating, isDryRun: isDryRun, otpApp: otpApp)
    }

    private static func signIn(_ server: TestServer, _ name: String, _ password: String)
        async throws -> Bool
    {
        let journey = try await server.client().start("password-login")
        try await journey.respond(
            "password", ["username": .string(name), "password": .string(password)])
        if case .success = await journey.outcome() { return true }
        return false
    }

    @Test("people sign in with the passwords that they had, and get hashes of ours")
    func passwords() async throws {
        try await TestServer.run(in: scratch) { server in
            let text = Self.hashes.map {
                Self.line(["username": .string($0.key), "password_hash": .string($0.value)])
            }.joined(separator: "\n")
            #expect(try await Self.send(server, text) == UserImportAnswer(created: 3))
            for name in Self.hashes.keys {
                let id = try await server.userID(name)
                func info() async throws -> JSONValue? {
                    try await server.admin.authenticators(of: id).first?.info["imported"]
                }
                #expect(try await info() != nil)
                #expect(try await !Self.signIn(server, name, "another password"))
                #expect(try await info() != nil)
                #expect(try await Self.signIn(server, name, Self.password))
                #expect(try await info() == nil)
                #expect(try await Self.signIn(server, name, Self.password))
                #expect(try await !Self.signIn(server, name, "another password"))
            }
            // After that, importing the hash again changes nothing.
            #expect(try await Self.send(server, text) == UserImportAnswer(unchanged: 3))
            #expect(
                try await Self.send(server, text, updating: true) == UserImportAnswer(unchanged: 3))
            for name in Self.hashes.keys {
                #expect(try await Self.signIn(server, name, Self.password))
            }
            for hash in Self.hashes.values { #expect(!server.logs.text.contains(hash)) }
        }
    }

    @Test("as long as a hash is foreign, all refusals wait as long as its check")
    func pace() async throws {
        try await TestServer.run(in: scratch) { server in
            let pace = server.server.parts.passwordCheck.pace
            #expect(try await pace.current() == .init(hold: nil))
            #expect(pace.measurement == nil)
            let slow = "$2b$10$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
            _ = try await Self.send(
                server, Self.line(["username": "ada", "password_hash": .string(slow)]))
            // The import has begun to measure.
            await pace.measurement?.value
            let known = try await pace.current(), hold = try #require(known.hold)
            #expect(hold > .zero && hold <= PasswordPace.most && known.step > hold)
            let clock = ContinuousClock()
            let nobody = try await clock.measure {
                _ = try await Self.signIn(server, "nobody", "a guess")
            }
            #expect(nobody >= known.step)
            // The same hash again takes no other measurement than that.
            let other = Self.line(["username": "eve", "password_hash": .string(slow)])
            _ = try await Self.send(server, other)
            await pace.measurement?.value
            #expect(try await pace.current() == known)
            let store = server.server.parts.store
            #expect(
                try await store.read { try $0.authenticators.importedHashes() } == ["$2b$10$"])
        }
    }

    @Test("the ways in which passwords are hashed are listed once each")
    func settings() async throws {
        try await TestServer.run(in: scratch) { server in
            let store = server.server.parts.store
            #expect(try await store.read { try !$0.authenticators.hasImportedHashes() })
            #expect(try await store.read { try $0.authenticators.importedHashes() }.isEmpty)
            let lines = (0..<40).map {
                Self.line([
                    "username": .string("u\($0)"),
                    "password_hash": .string(
                        "$pbkdf2-sha256$i=\(1000 + $0 % 20)$MDEyMzQ1Njc4OWFiY2RlZg$ZGmtGTVS9jxtOei1/j8Xq5WxdpKFd95GH9lGFiugZGM"
                    ),
                ])
            }
            _ = try await Self.send(server, lines.joined(separator: "\n"))
            #expect(try await store.read { try $0.authenticators.hasImportedHashes() })
            #expect(
                try await store.read { try $0.authenticators.importedHashes() }
                    == (1000..<1020).map { "$pbkdf2-sha256$i=\($0)$" })
        }
    }

    @Test("people keep their addresses, attributes, groups, state, and authenticator apps")
    func everything() async throws {
        try await TestServer.run(in: scratch, time: HandClock(Instant(seconds: 1_111_111_109))) {
            server in
            let app = try #require(AppID("default_application"))
            // RFC 6238: 07081804 at 1111111109, with 8 digits and SHA-1.
            let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
            let text = Self.line([
                "external_id": "7", "username": "Ada", "email": "ada@example.org",
                "email_verified": true, "attributes": ["plan": "gold"], "groups": ["staff"],
                "otp": [.string("otpauth://totp/Old:ada?secret=\(secret)&digits=8")],
            ])
            await #expect {
                _ = try await Self.send(server, text)
            } throws: {
                ($0 as? MienError)?.fields.map(\.field) == ["lines[1].otp"]
            }
            #expect(
                try await Self.send(server, text, isDryRun: true, otpApp: app).created == 1)
            #expect(try await server.admin.findUser("ada") == nil)
            #expect(try await Self.send(server, text, otpApp: app).created == 1)
            let user = try #require(try await server.admin.findUser("7"))
            #expect(user.username == "Ada" && user.email == "ada@example.org")
            #expect(user.emailVerified == true && user.attributes == ["plan": "gold"])
            let id = try #require(UserID(user.id))
            #expect(try await server.admin.groups(of: id) == ["staff"])
            let store = server.server.parts.store
            let account = try #require(try await store.read { try $0.accounts.find(id) })
            let record = try #require(
                try await store.read { try $0.authenticators.all(of: account) }.first)
            let token = try OTPToken(record)
            #expect(
                try token.match(
                    #require(OneTimeCode(typed: "07081804")), from: .init(next: 0, awaited: nil),
                    at: server.time.now) != nil)
            let events = try await server.admin.audit(event: "user.created").items
            #expect(events.count == 1 && events[0].detail["imported"] == true)

            // CSV says the same, so nothing changes; then something differs.
            let csv = "username,groups,attributes.plan,state\nADA,staff,gold,active\n"
            let same = try await Self.send(server, csv, .csv)
            #expect(same.different == 1 && same.fields == ["username": 1])
            let other =
                "external_id,groups,attributes.plan,state\n7,\"staff,boss\",lead,suspended\n"
            let kept = try await Self.send(server, other, .csv)
            #expect(kept.different == 1 && kept.changed == 0)
            #expect(kept.fields == ["groups": 1, "attributes": 1, "state": 1])
            #expect(try await server.admin.findUser("7")?.state.rawValue == "active")
            #expect(try await Self.send(server, other, .csv, updating: true).changed == 1)
            #expect(try await Self.send(server, other, .csv, updating: true).unchanged == 1)
            #expect(try await server.admin.findUser("7")?.state.rawValue == "suspended")
            #expect(try await server.admin.groups(of: id) == ["boss", "staff"])
        }
    }

    @Test("each bad line is named, and then nobody of the request is imported")
    func faults() async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser("bob")
            try await server.makeUser("eve")
            let lines = [
                #"{"username":"ada"}"#, #"{"username":"ADA"}"#,
                #"{"username":"x","groups":["a,b"]}"#,
                "",
                #"{"username":"y","password_hash":"$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"}"#,
                #"{"username":"bob","email":"eve@example.org","email_verified":true}"#,
                #"{"external_id":"bob"}"#, "{\"username\":\"\u{0}\"}",
                String(repeating: "x", count: PeopleRecords.maxBytes + 1), #"{"username":"fine"}"#,
            ]
            for isDryRun in [true, false] {
                await #expect {
                    _ = try await Self.send(
                        server, lines.joined(separator: "\n"), isDryRun: isDryRun)
                } throws: {
                    let fields = ($0 as? MienError)?.fields ?? []
                    return fields.map(\.field) == [
                        "lines[2].username", "lines[3].groups", "lines[5].password_hash",
                        "lines[7].external_id", "lines[8]", "lines[9]",
                    ] && fields[2].message.contains("4 to 14")
                }
            }
            // Names in the database are compared when the lines themselves are fine.
            for (line, field) in [(lines[5], "lines[1].email"), (lines[6], "lines[1]")] {
                await #expect {
                    _ = try await Self.send(server, line + "\n" + lines[9])
                } throws: {
                    ($0 as? MienError)?.fields.map(\.field) == [field]
                }
            }
            #expect(try await server.admin.findUser("fine") == nil)
            #expect(try await server.admin.findUser("ada") == nil)
        }
    }

    @Test("an import takes over no account: passwords and codes of existing people stay")
    func existing() async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser("ada", password: "the password of ada")
            let text = Self.line([
                "username": "ada", "password_hash": .string(Self.hashes["bcrypt"]!),
                "email": "mallory@example.org", "email_verified": true,
            ])
            #expect(try await Self.send(server, text).different == 1)
            #expect(try await server.admin.findUser("mallory@example.org") == nil)
            // Somebody may have signed up with the name of the person in the file.
            let refused = await #expect(throws: MienError.self) {
                _ = try await Self.send(server, text, updating: true)
            }
            #expect(refused?.problem?.errors?.first?.field == "lines[1].username")
            #expect(try await server.admin.findUser("mallory@example.org") == nil)
            let name = Self.line(["username": "ada", "attributes": ["plan": "gold"]])
            #expect(try await Self.send(server, name, updating: true).changed == 1)
            #expect(try await !Self.signIn(server, "ada", Self.password))
            #expect(try await Self.signIn(server, "ada", "the password of ada"))
        }
    }

    @Test("the route takes other types, sizes, and parameters for what they are")
    func requests() async throws {
        try await TestServer.run(in: scratch) { server in
            let none = try await Self.send(server, "\n")
            #expect(none == UserImportAnswer())
            let many = (0...PeopleRecords.maxRecords).map { #"{"username":"u\#($0)"}"# }
                .joined(separator: "\n")
            await #expect(throws: MienError.self) { _ = try await Self.send(server, many) }
            let tiny = String(repeating: "a\n", count: 100_000)
            for format in PeopleRecords.Format.allCases {
                await #expect {
                    let header = format == .csv ? "username\n" : ""
                    _ = try await Self.send(server, header + tiny, format)
                } throws: {
                    ($0 as? MienError)?.problem?.code == .payloadTooLarge
                }
            }
            await #expect {
                _ = try await Self.send(server, "name\nada", .csv)
            } throws: {
                ($0 as? MienError)?.fields.map(\.field) == ["lines[1]"]
            }
            let users = try await server.admin.users(after: nil).items
            #expect(users.isEmpty)
        }
    }
}
