import MienAPI
import MienClient
import MienCore
import Testing

extension HostileTests {
    @Test(
        "somebody holding the owner's device adds an authenticator to the owner's account by signing in as themselves when asked to sign in again"
    )
    func reauthenticationOfAnother() async throws {
        let clock = try ProcessClock.ofToday(in: scratch),
            server = try await ServeProcess.start(
                in: scratch, ["MIEN_FRESH_SECONDS": "60"], clock: clock),
            admin = try server.admin(#require(server.credential))
        for name in ["ada", "eve"] {
            _ = try await admin.createUser(
                UserRequest(username: name, password: "a password nobody has"))
        }
        @Sendable func token(_ name: String) async throws -> Sensitive<String> {
            let journey = try await server.client().start("password-login")
            for try await step in journey.steps {
                try await step.respond(
                    "password", ["username": .string(name), "password": "a password nobody has"])
            }
            guard case .success(let token) = await journey.outcome() else {
                throw CancellationError()
            }
            return token
        }
        let session = try MienSession(MienOptions(serverPath: server.address)) { _, _ in
            .journeyToken(try await token("eve"))
        }
        try await session.configure()
        try await session.signIn(journeyToken: token("ada"))
        let owner = try await session.userInfo()
        try clock.advance(.seconds(61))
        await #expect(throws: MienError(.reauthenticationRequired, "")) {
            try await session.send(.post, ["v1", "me", "otp", "registrations"])
        }
        // The session still belongs to the owner, and no account has gained anything. The other
        // sign-in has ended.
        #expect(try await session.userInfo() == owner)
        #expect(try await admin.audit().items.count { $0.event == "tokens.revoked" } == 1)
        for name in ["ada", "eve"] {
            let user = try #require(await admin.findUser(name).flatMap { UserID($0.id) })
            #expect(
                try await admin.authenticators(of: user).map(\.type) == [.known(.password)],
                "\(name)")
        }
        #expect(await server.stop() == 0)
    }
}
