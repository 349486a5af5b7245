import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// A `mien serve` process with a user, as an attacker sees it: over HTTP, and with access to the
/// owner's mailbox.
struct RealServer: Sendable {
    static let password = "a password nobody has"

    struct Answer: Sendable {
        let status: Int
        let headers: [String: String]
        let text: String

        var json: JSONValue {
            (try? JSONText.parse(Array(text.utf8), limits: .init(maxBytes: 1 << 20, maxDepth: 32)))
                ?? .null
        }
        subscript(_ name: String) -> String? { json[name]?.stringValue }
    }

    let process: ServeProcess
    let admin: MienAdmin
    let outbox: Outbox

    /// Starts a server, runs `body`, and stops the server.
    static func run(
        in scratch: ScratchFolder, _ settings: [String: String] = [:],
        _ body: (RealServer) async throws -> Void
    ) async throws {
        let limits = [
            "MIEN_LIMIT_STARTS_PER_MINUTE": "100000", "MIEN_LIMIT_GUESSES_PER_MINUTE": "10000",
        ]
        let process = try await ServeProcess.start(in: scratch, limits.merging(settings) { $1 })
        let admin = try process.admin(try #require(process.credential))
        try await body(
            RealServer(process: process, admin: admin, outbox: Outbox(data: scratch("data"))))
        #expect(await process.stop() == 0)
    }

    @discardableResult
    func makeUser(_ name: String = "ada", email: String? = "ada@example.org") async throws -> UserID
    {
        let user = try await admin.createUser(
            UserRequest(username: name, email: email, password: Self.password))
        return try #require(UserID(user.id))
    }

    func send(
        _ method: HTTPTransportRequest.Method, _ path: String, access: String? = nil,
        type: String = "application/json", _ body: String = ""
    ) async throws -> Answer {
        var headers = ["content-type": type]
        if let access { headers["authorization"] = "Bearer \(access)" }
        let answer = try await AsyncHTTPTransport().send(
            HTTPTransportRequest(
                method: method, url: process.address + path, headers: headers,
                body: Array(body.utf8), timeout: .seconds(60)))
        return Answer(
            status: answer.status, headers: answer.headers,
            text: String(decoding: answer.body, as: UTF8.self))
    }

    func form(_ path: String, _ fields: [(String, String)], access: String? = nil) async throws
        -> Answer
    {
        let text = fields.map {
            "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }.joined(separator: "&")
        return try await send(
            .post, path, access: access, type: "application/x-www-form-urlencoded", text)
    }

    func client(_ devices: any DeviceTokenStorage = MemoryDeviceTokens()) throws -> JourneyClient {
        try JourneyClient(
            MienOptions(
                serverPath: process.address, applicationId: "default_application",
                retry: RetryPolicy(attempts: 1), deviceTokens: devices))
    }

    /// Runs a journey to its end. `answer` is called for each step.
    func run(
        _ journey: String, from client: JourneyClient? = nil,
        _ answer: (JourneyStep) async throws -> Void
    ) async throws -> JourneyOutcome? {
        let journey = try await (client ?? self.client()).start(journey)
        for try await step in journey.steps { try await answer(step) }
        return await journey.outcome()
    }

    /// Exchanges a journey's token for an access token.
    func access(_ outcome: JourneyOutcome?) async throws -> String {
        guard case .success(let token) = outcome else {
            Issue.record("the journey did not succeed: \(String(describing: outcome))")
            throw CancellationError()
        }
        let answer = try await form(
            "/oauth2/token",
            [
                ("grant_type", TokenClient.exchange), ("client_id", "default_application"),
                ("subject_token_type", TokenClient.jwt),
                ("subject_token", token.use { $0 }),
            ])
        return try #require(answer["access_token"], "\(answer.text)")
    }

    /// Signs in with the password.
    func signIn(_ name: String = "ada", from client: JourneyClient? = nil) async throws -> String {
        try await access(
            run("password-login", from: client) {
                try await $0.respond(
                    "password", ["username": .string(name), "password": .string(Self.password)])
            })
    }

    /// Registers an OTP token, as its owner or as someone who stole the access token.
    ///
    /// - Returns: The token's ID.
    @discardableResult
    func addToken(_ access: String) async throws -> String {
        let offer = try await send(.post, "/v1/me/otp/registrations", access: access, "{}")
        let code = try #require(offer["registration_code"], "\(offer.text)")
        let body: [String: JSONValue] = [
            "registration_code": .string(code), "public_key": TokenDevice().jwk, "name": "Phone",
            "os": "linux",
        ]
        let answer = try await send(.post, "/v1/otp/tokens", JSONText.write(.object(body)))
        return try #require(answer["token_id"], "\(answer.text)")
    }

    func tokens(_ access: String) async throws -> [JSONValue] {
        let answer = try await send(.get, "/v1/me/otp/tokens", access: access)
        return try #require(answer.json["items"]?.arrayValue, "\(answer.text)")
    }
}
