import MienAPI
import MienClient
import MienCore
import Testing

/// A server whose users a test makes, registers, and signs in.
protocol ServerWithUsers: ServerUnderTest {
    var admin: MienAdmin { get }
}

extension ServerWithUsers {
    private func newClient() throws -> JourneyClient {
        try client(MemoryDeviceTokens(), app: "default_application")
    }

    @discardableResult
    func makeUser(_ name: String = "ada", password: String = "a password nobody has") async throws
        -> UserID
    {
        let user = try await admin.createUser(
            UserRequest(username: name, email: "\(name)@example.org", password: password))
        return try #require(UserID(user.id))
    }

    func userID(_ name: String) async throws -> UserID {
        let user = try #require(try await admin.findUser(name))
        return try #require(UserID(user.id))
    }

    /// Signs in with a password, consents, and submits a selfie.
    func registerFace(
        _ name: String = "ada", password: String = "a password nobody has", photo: String = "obama"
    ) async throws -> JourneyOutcome? {
        let journey = try await newClient().start("face-registration")
        for try await step in journey.steps {
            switch step.id {
            case .loginForm:
                try await step.respond(
                    "password", ["username": .string(name), "password": .string(password)])
            case .identityVerification, .selfieAcquisition:
                try await step.capture(Installed.frames([photo]))
                try await step.respond(.clientInput)
            default: try await step.respond(.clientInput)
            }
        }
        return await journey.outcome()
    }

    /// - Returns: The token; `nil` if the face was refused.
    func logIn(_ name: String = "ada", photo: String, from client: JourneyClient? = nil)
        async throws -> Sensitive<String>?
    {
        let journey = try await (client ?? newClient()).start("face-login")
        for try await step in journey.steps {
            switch step.id {
            case .loginForm where step.options["face"] != nil:
                try await step.respond("face", ["user_identifier": .string(name)])
            case .selfieAcquisition:
                try await step.capture(Installed.frames([photo]))
                try await step.respond(.clientInput)
            default: return nil
            }
        }
        if case .success(let token) = await journey.outcome() { return token }
        return nil
    }
}
