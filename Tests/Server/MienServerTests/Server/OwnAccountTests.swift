import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Users do what the consent text promises, through the SDK and a real server.
@Suite("Own accounts", .enabled(if: Installed.isThere, Installed.reason))
struct OwnAccountTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// Signs `ada` in on a device and returns the session.
    private static func session(
        _ server: ClockedServer, _ devices: MemoryDeviceTokens = MemoryDeviceTokens()
    ) async throws -> MienSession {
        let session = try MienSession(
            MienOptions(
                serverPath: server.address, applicationId: "default_application",
                retry: RetryPolicy(attempts: 1), deviceTokens: devices))
        try await session.configure()
        let journey = try await server.client(devices).start("password-login")
        for try await step in journey.steps {
            try await step.respond(
                "password", ["username": "ada", "password": "a password nobody has"])
        }
        guard case .success(let token) = await journey.outcome() else {
            throw CancellationError()
        }
        try await session.signIn(journeyToken: token)
        return session
    }

    @Test("a user withdraws consent, which erases the face; or removes the face alone")
    func faces() async throws {
        try await ClockedServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            func register() async throws {
                guard case .success = try await server.registerFace() else {
                    Issue.record("no face was registered")
                    return
                }
            }
            func hasFace() async throws -> Bool {
                try await server.admin.authenticators(of: user).contains {
                    $0.type == .known(.face)
                }
            }
            try await register()
            let session = try await Self.session(server)
            let consent = try #require(try await session.consents().first)
            #expect(consent.purpose == .known(.face) && consent.withdrawnAt == nil)
            let face = try #require(try await session.faces().first)
            #expect(face.appID == "default_application" && consent.appID == face.appID)
            try await session.removeFace(face.id)
            #expect(try await !hasFace())
            #expect(try await session.faces().isEmpty)
            #expect(try await session.consents().first?.withdrawnAt == nil, "still on record")

            try await register()
            #expect(try await server.logIn(photo: "obama2") != nil)
            try await session.withdrawConsent(to: face.appID)
            #expect(try await !hasFace())
            #expect(try await server.logIn(photo: "obama2") == nil)
            #expect(try await session.consents().allSatisfy { $0.withdrawnAt != nil })
            await #expect(throws: MienError.self) {
                try await session.withdrawConsent(to: face.appID)
            }
            let events = try await server.admin.audit(user: user).items
            #expect(
                events.last { $0.event == "consent.withdrawn" }?.actor == "user")
        }
    }

    @Test("a user lists sign-ins and devices, names a device, and ends the others")
    func signIns() async throws {
        try await ClockedServer.run(in: scratch) { server in
            try await server.makeUser()
            let devices = MemoryDeviceTokens(), otherDevices = MemoryDeviceTokens()
            let session = try await Self.session(server, devices)
            try server.time.advance(.seconds(60))
            let other = try await Self.session(server, otherDevices)
            let listed = try await session.signIns()
            #expect(listed.map(\.isCurrent) == [false, true], "newest first")
            #expect(listed[0].signedInAt - listed[1].signedInAt == 60_000)
            #expect(
                listed.allSatisfy {
                    $0.methods == ["pwd"] && $0.appID == "default_application"
                        && $0.appName?.isEmpty == false && $0.expiresAt > $0.signedInAt
                })

            let own = try #require(await session.deviceID())
            let foreign = try #require(await other.deviceID())
            #expect(Set(try await session.devices().map(\.id)) == [own, foreign])
            try await session.renameDevice(own, to: "Kitchen tablet")
            #expect(
                try await session.devices().first { $0.id == own }?.name == "Kitchen tablet")
            for name in ["", "two\nlines", String(repeating: "x", count: 65)] {
                await #expect(throws: MienError.self) {
                    try await session.renameDevice(own, to: name)
                }
            }
            try await session.removeDevice(foreign)
            #expect(try await session.devices().map(\.id) == [own])
            await #expect(throws: MienError.self) { try await session.removeDevice(foreign) }

            try await session.endSignIn(listed[0].id)
            await #expect(throws: MienError.self) { try await other.userInfo() }
            let third = try await Self.session(server)
            try await session.endOtherSignIns()
            await #expect(throws: MienError.self) { try await third.userInfo() }
            #expect(try await session.signIns().map(\.isCurrent) == [true])
            _ = try await session.userInfo()
            await #expect(throws: MienError.self) { try await session.endSignIn(listed[0].id) }
        }
    }

    @Test("a user downloads everything, and deletes it")
    func data() async throws {
        try await ClockedServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            guard case .success = try await server.registerFace() else {
                Issue.record("no face was registered")
                return
            }
            let session = try await Self.session(server)
            let data = try await session.downloadData()
            #expect(data["account"]?["id"] == .string(user.text))
            #expect(data["account"]?["profile"]?["email"] == "ada@example.org")
            let types = data["authenticators"]?.arrayValue?.compactMap {
                $0["type"]?.stringValue
            }
            #expect(Set(types ?? []) == ["password", "face"])
            #expect(data["consents"]?.arrayValue?.count == 1)
            let events = data["activity"]?.arrayValue?.compactMap { $0["event"]?.stringValue }
            #expect(
                Set(events ?? []).isSuperset(of: [
                    "user.created", "consent.given", "face.registered", "tokens.granted",
                ]))
            let text = JSONText.write(data)
            #expect(!text.contains("$argon2") && data["activity_next"] == nil)

            let other = try await Self.session(server)
            // With a password and a face, a password alone does not suffice.
            await #expect(throws: MienError(.reauthenticationRequired, "")) {
                try await session.deleteAccount()
            }
            try await session.withdrawConsent(to: "default_application")
            try await session.deleteAccount()
            #expect(await session.state == .signedOut(.ended))
            #expect(try await server.admin.findUser("ada") == nil)
            await #expect(throws: MienError.self) { try await other.userInfo() }
            _ = try await Outbox(data: server.folder).mail(with: "Your account was deleted")
            let log = try await server.admin.audit(user: user).items
            #expect(log.last?.event == "user.deleted" && log.last?.actor == "user")
            // The name is free again.
            try await server.makeUser()
        }
    }
}
