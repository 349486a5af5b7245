import Crypto
import Foundation
import MienClient
import MienCore
import MienKeys
import Testing

/// A server that tests send requests to, in this process or in a separate one.
protocol ServerUnderTest: Sendable {
    /// The public URL on which it listens.
    var address: String { get }
    /// The URL of the admin API and metrics.
    var adminAddress: String { get }
    /// The server's name in its tokens and in requests signed for it.
    var issuer: String { get }
    var now: Instant { get }
    func client(_ devices: any DeviceTokenStorage, app: String) throws -> JourneyClient
}

extension ServerUnderTest {
    /// Returns the URL that serves `path`.
    func url(_ path: String) -> String {
        (AdminPaths.contains(path) ? adminAddress : address) + path
    }
}

extension TestServer: ServerWithUsers {
    var now: Instant { time.now }
}

extension ServeProcess: ServerUnderTest {
    var now: Instant {
        clock?.now ?? Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }

    func client(
        _ devices: any DeviceTokenStorage = MemoryDeviceTokens(),
        app: String = "default_application"
    ) throws -> JourneyClient {
        try JourneyClient(
            MienOptions(
                serverPath: address, applicationId: app, retry: RetryPolicy(attempts: 1),
                deviceTokens: devices))
    }
}

/// An app's token handling: sends forms and returns the responses.
struct TokenClient: Sendable {
    static let biometric = "urn:authgear:params:oauth:grant-type:biometric-request"
    static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    static let jwt = "urn:ietf:params:oauth:token-type:jwt"

    struct Answer: Sendable {
        let status: Int
        let headers: [String: String]
        let body: JSONValue

        subscript(_ name: String) -> String? { body[name]?.stringValue }
        var error: String? { self["error"] }
    }

    let server: any ServerUnderTest
    var app = "default_application"
    var secret: String?
    /// The key to which requested tokens are bound.
    var key: SoftwareSigner?

    func post(_ path: String, _ fields: [(String, String)], headers: [String: String] = [:])
        async throws -> Answer
    {
        var headers = headers
        headers["content-type"] = "application/x-www-form-urlencoded"
        if let key, headers["dpop"] == nil { headers["dpop"] = try await proof(key, path) }
        let text = fields.map { "\(Self.encoded($0))=\(Self.encoded($1))" }.joined(separator: "&")
        return try await send(.post, path, headers, text)
    }

    func send(
        _ method: HTTPTransportRequest.Method, _ path: String, _ headers: [String: String],
        _ body: String = ""
    ) async throws -> Answer {
        let answer = try await AsyncHTTPTransport().send(
            HTTPTransportRequest(
                method: method, url: server.url(path), headers: headers, body: Array(body.utf8),
                timeout: .seconds(300)))
        let value =
            (try? JSONText.parse(answer.body, limits: .init(maxBytes: 1 << 20, maxDepth: 32)))
            ?? .null
        return Answer(status: answer.status, headers: answer.headers, body: value)
    }

    func token(
        _ grantType: String, _ fields: [(String, String)] = [], headers: [String: String] = [:]
    ) async throws -> Answer {
        var all = [("grant_type", grantType), ("client_id", app)]
        if let secret { all.append(("client_secret", secret)) }
        return try await post("/oauth2/token", all + fields, headers: headers)
    }

    func refresh(_ token: String?, _ fields: [(String, String)] = []) async throws -> Answer {
        try await self.token("refresh_token", [("refresh_token", token ?? "")] + fields)
    }

    func userInfo(_ token: String?) async throws -> Answer {
        try await send(.get, "/oauth2/userinfo", ["authorization": "Bearer \(token ?? "")"])
    }

    /// Logs in with a password and exchanges the journey's token for lasting ones.
    func signIn(
        _ name: String = "ada", password: String = "a password nobody has",
        _ fields: [(String, String)] = []
    ) async throws -> Answer {
        let journey = try await server.client(MemoryDeviceTokens(), app: app).start(
            "password-login")
        for try await step in journey.steps {
            try await step.respond(
                "password", ["username": .string(name), "password": .string(password)])
        }
        guard case .success(let token) = await journey.outcome() else { throw CancellationError() }
        return try await self.token(
            Self.exchange,
            [("subject_token", token.use { $0 }), ("subject_token_type", Self.jwt)] + fields)
    }

    func challenge(_ purpose: String = "biometric_request") async throws -> String {
        let answer = try await send(
            .post, "/oauth2/challenge", ["content-type": "application/json"],
            #"{"purpose":"\#(purpose)"}"#)
        return try #require(answer.body["result"]?["token"]?.stringValue)
    }

    func proof(
        _ key: SoftwareSigner, _ path: String, method: String = "POST", token: String? = nil,
        changed: [String: JSONValue] = [:]
    ) async throws
        -> String
    {
        var claims: [String: JSONValue] = [
            "jti": .string(UUID().uuidString), "htm": .string(method),
            "htu": .string(server.issuer + path),
            "iat": .number(Double(server.now.seconds)),
        ]
        if let token {
            claims["ath"] = .string(Base64URL.encode(SHA256.hash(data: Array(token.utf8))))
        }
        return try await JWS.sign(
            header: ["typ": "dpop+jwt", "jwk": key.publicKey.jwk],
            payload: Array(JSONText.write(.object(claims.merging(changed) { $1 })).utf8),
            with: key)
    }

    /// Returns the claims of a token without verifying it.
    static func claims(_ token: String?) throws -> JSONValue {
        let parts = try #require(token).split(separator: ".")
        return try JSONText.parse(try #require(Base64URL.decode(parts[1])))
    }

    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(
            withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "-._~"))) ?? ""
    }
}

/// A device's half of biometric login, as docs/facts.md §7 describes it.
struct WireDevice: Sendable {
    var client: TokenClient
    let signer: SoftwareSigner
    let keyID: String
    var deviceID = "device-0001"
    /// The server's name for itself; `nil` for its URL.
    var issuer: String?

    init(
        _ client: TokenClient, _ algorithm: DeviceKeyAlgorithm = .es256,
        keyID: String = "key-\(UUID().uuidString)", issuer: String? = nil
    ) throws {
        (self.client, self.keyID, self.issuer) = (client, keyID, issuer)
        signer = try SoftwareSigner.generate(algorithm)
    }

    func request(
        _ action: String, challenge: String? = nil, header: [String: JSONValue?] = [:],
        claims: [String: JSONValue?] = [:],
        signer: SoftwareSigner? = nil
    ) async throws -> String {
        let now = Double(client.server.now.seconds), key = signer ?? self.signer
        var all: [String: JSONValue?] = [
            "iat": .number(now), "exp": .number(now + 60),
            "challenge": .string(try await challenge.orElse { try await client.challenge() }),
            "action": .string(action),
            "device_info": [
                "mien": [
                    "model": "Test phone", "os": "linux", "device_id": .string(deviceID),
                    "user_verification": "biometric",
                ]
            ],
            "aud": .string(issuer ?? client.server.issuer), "client_id": .string(client.app),
        ]
        all.merge(claims) { $1 }
        var head: [String: JSONValue?] = [
            "typ": "vnd.authgear.biometric-request", "kid": .string(keyID),
        ]
        if action == "setup" { head["jwk"] = key.publicKey.jwk }
        head.merge(header) { $1 }
        return try await JWS.sign(
            header: head.compactMapValues { $0 },
            payload: Array(JSONText.write(.object(all.compactMapValues { $0 })).utf8), with: key)
    }

    func setUp(_ accessToken: String?, jwt: String? = nil) async throws -> TokenClient.Answer {
        let jwt = try await jwt.orElse { try await request("setup") }
        return try await client.token(
            TokenClient.biometric, [("jwt", jwt)],
            headers: accessToken.map { ["authorization": "Bearer \($0)"] } ?? [:])
    }

    func logIn(jwt: String? = nil, _ fields: [(String, String)] = []) async throws
        -> TokenClient.Answer
    {
        let jwt = try await jwt.orElse { try await request("authenticate") }
        return try await client.token(TokenClient.biometric, [("jwt", jwt)] + fields)
    }
}

extension Optional where Wrapped: Sendable {
    func orElse(_ other: () async throws -> Wrapped) async rethrows -> Wrapped {
        if let self { self } else { try await other() }
    }
}
