import MienAPI
import MienClient
import MienCore
import MienJourney
import MienStore
import Testing

@testable import MienServer

/// The steps with cameras and phones.
extension WaitingSteps {
    /// The transaction that a phone approves.
    private static let transaction: [String: JSONValue] = ["amount": "120.50"]

    /// Opens a capture for a signed-in user, as a step of a journey does.
    func openCapture(of user: UserID, in app: String) async throws -> (
        id: CaptureID, token: String
    ) {
        let parts = server.server.parts, name = AppID(app)!
        let found = try #require(try await parts.store.read { try $0.apps.find(name) })
        var generator = SystemRandomNumberGenerator()
        let (id, token) = try await parts.captures.open(
            CaptureRequest(purpose: .registration),
            for: CaptureOrigin(
                run: .random(using: &generator), app: found, device: nil, signedIn: user))
        return (id, token)
    }

    /// Lets a computer show the code with which a capture moves to a phone.
    func move(_ capture: (id: CaptureID, token: String)) async throws -> WaitingHandover {
        let link = try await server.server.parts.links.make(
            CaptureLinks.Target(capture: capture.id, startToken: capture.token))
        return try await WaitingHandover(.capture, link, on: server)
    }

    /// Takes a picture of a face.
    ///
    /// - Returns: The account of the capture; `nil` if it takes no picture.
    func takePicture(_ capture: CaptureID, _ token: String?) async throws -> UserID? {
        guard let token else { return nil }
        let (status, body) = try await LiveStage.send(
            server, token, "frames", "image/jpeg", Installed.photo("obama"))
        guard status == 200 else { return nil }
        #expect(body["status"] == "passed", "\(body)")
        return try await server.server.parts.store.read { try $0.captures.find(capture)?.account }
    }

    /// Asks for the code with which a phone gets an OTP token.
    ///
    /// - Returns: `nil` if the sign-in is too weak for that.
    func registrationCode(_ access: String?) async throws -> String? {
        try await server.sendJSON(
            .post, "/v1/me/otp/registrations", body: "{}", access: access
        ).body["registration_code"]?.stringValue
    }

    /// Uses a registration code on a phone.
    ///
    /// - Returns: The ID of the token; `nil` if the code is refused.
    func register(_ code: String) async throws -> String? {
        let body: [String: JSONValue] = [
            "registration_code": .string(code), "public_key": TokenDevice().jwk, "name": "Phone",
            "os": "linux",
        ]
        return try await server.send(.post, "/v1/otp/tokens", JSONText.write(.object(body)))
            .body["token_id"]?.stringValue
    }

    /// Gives a user's phone an OTP token.
    func phone(of user: UserID, in app: String) async throws -> TokenDevice.Token {
        let offer = try await server.sendJSON(
            .post, "/v1/users/\(user.text)/otp/\(app)/registrations", body: "{}",
            access: server.credential.use { $0 })
        return try await TokenDevice().redeem(
            try #require(offer.body["registration_code"]?.stringValue, "\(offer)"), server,
            app: app)
    }

    /// Begins a transaction, and returns its code.
    func pay(in app: String, of name: String = "ada") async throws -> String {
        let asked = try await password("pay", in: app, of: name)
        return try #require(asked["data"]?["approval_code"]?.stringValue, "\(asked)")
    }

    /// Approves a transaction on a phone.
    ///
    /// - Returns: Whether it waited for that.
    func approve(_ code: String, on phone: TokenDevice.Token) async throws -> Bool {
        var body: [String: JSONValue] = [
            "token_id": .string(phone.id), "approval_code": .string(code),
        ]
        let shown = try await server.sendJSON(
            .post, "/v1/otp/approvals/show", body: JSONText.write(.object(body)))
        guard shown.status == 200 else { return false }
        let challenge = try #require(shown.body["transaction_challenge"]?.stringValue)
        body["passcode"] = .string(
            try phone.signature(of: Self.transaction, challenge: challenge))
        return try await server.sendJSON(
            .post, "/v1/otp/approvals", body: JSONText.write(.object(body))
        ).status == 204
    }
}
