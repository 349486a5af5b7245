import Foundation
import MienCore
import MienKeys
import MienLoad

/// A load of one user with one device for each worker, who signs in with the device's key and
/// refreshes tokens.
///
/// Each worker has a user of its own, because guesses in progress count: several at once with the
/// keys of one user, from devices without a token, lock each other out.
struct TokenLoad: Sendable {
    private static let password = "a password for the devices"
    private static let grantType = "urn:authgear:params:oauth:grant-type:biometric-request"
    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"

    private struct Device: Sendable {
        let signer: SoftwareSigner
        let keyID: String
    }

    private let devices: [Device]
    private let issuer: String

    /// - Parameter issuer: The server's public URL; `nil` for its address.
    init(
        _ server: LoadServer, _ setup: SetupClient, workers: Int, issuer: String? = nil
    ) async throws {
        self.issuer = issuer ?? "http://127.0.0.1:\(server.port)"
        devices = try (0..<workers).map {
            Device(signer: try .generate(.es256), keyID: "bench-key-\($0)")
        }
        for (index, device) in devices.enumerated() {
            let access = try await Self.signUp("device-\(index)", setup)
            let request = try await request("setup", device, setup.client)
            let answer = try await Self.form(
                setup.client, "grant_type=\(Self.grantType)&jwt=\(request)", bearer: access)
            guard answer.status == 200 else {
                throw LoadError("the key was not registered: \(answer.bodyText)")
            }
        }
    }

    /// Creates a user and signs in with the password.
    ///
    /// - Returns: an access token.
    static func signUp(
        _ name: String, _ setup: SetupClient, app: String = "default_application"
    ) async throws -> String {
        try await setup.call(
            "POST", "/v1/users", #"{"username":"\#(name)","password":"\#(password)"}"#,
            asAdmin: true)
        return try await signIn(name, setup, app: app)
    }

    /// Signs in with the password.
    ///
    /// - Returns: an access token.
    static func signIn(_ name: String, _ setup: SetupClient, app: String) async throws -> String {
        let start = try await setup.call(
            "POST", "/v1/journeys/password-login/start", #"{"client_id":"\#(app)"}"#)
        guard let state = start.text("state", startingWith: "run_") else {
            throw LoadError("no state: \(start.bodyText)")
        }
        let end = try await setup.call(
            "POST", "/v1/journeys/respond",
            #"{"state":"\#(state)","option":"password","data":{"username":"\#(name)","password":"\#(password)"}}"#
        )
        guard let token = end.text("token") else { throw LoadError("no token: \(end.bodyText)") }
        let answer = try await form(
            setup.client,
            "grant_type=\(exchange)&subject_token_type=urn:ietf:params:oauth:token-type:jwt&subject_token=\(token)",
            app: app)
        guard let access = answer.text("access_token") else {
            throw LoadError("no access token: \(answer.bodyText)")
        }
        return access
    }

    /// Requests a challenge, signs it, and gets tokens.
    func login(_ worker: LoadRun.Worker) async throws {
        let device = devices[worker.index]
        try await worker.measured("login") { () async throws(LoadError) in
            let request = try await request("authenticate", device, worker.client)
            _ = try await worker.measured("grant") { () async throws(LoadError) in
                try await Self.grant(request, worker.client)
            }
        }
    }

    /// Signs in once with each device.
    func refreshTokens(_ client: LoadClient) async throws -> [String] {
        var tokens: [String] = []
        for device in devices {
            let request = try await request("authenticate", device, client)
            tokens.append(try await Self.grant(request, client))
        }
        return tokens
    }

    /// Refreshes tokens. Each connection begins with a token of its own.
    static let refreshes: WrkLoad = {
        let path = "/oauth2/token", type = "application/x-www-form-urlencoded",
            body = "client_id=default_application&grant_type=refresh_token&refresh_token="
        return WrkLoad(
            .init("POST", path, type: type, body: body),
            then: .init("POST", path, type: type, before: body, after: ""),
            member: #""refresh_token":""#)
    }()

    /// An empty route of the same server.
    static let emptyRequests = WrkLoad(.init("GET", "/healthz"), member: #""status":""#)

    /// - Returns: a refresh token.
    private static func grant(_ request: String, _ client: LoadClient) async throws(LoadError)
        -> String
    {
        let answer = try await form(client, "grant_type=\(Self.grantType)&jwt=\(request)")
        guard let token = answer.text("refresh_token") else {
            throw LoadError("the login failed: \(answer.status) \(answer.bodyText)")
        }
        return token
    }

    private static func form(
        _ client: LoadClient, _ fields: String, bearer: String? = nil,
        app: String = "default_application"
    ) async throws(LoadError) -> LoadAnswer {
        try await client.request(
            "POST", "/oauth2/token", type: "application/x-www-form-urlencoded",
            body: Array("client_id=\(app)&\(fields)".utf8),
            bearer: bearer)
    }

    private func request(_ action: String, _ device: Device, _ client: LoadClient)
        async throws(LoadError) -> String
    {
        let answer = try await client.post(
            "/oauth2/challenge", json: #"{"purpose":"biometric_request"}"#)
        guard let challenge = answer.text("token") else {
            throw LoadError("no challenge: \(answer.status) \(answer.bodyText)")
        }
        let now = Int(Date().timeIntervalSince1970)
        var header: [String: JSONValue] = [
            "alg": "ES256", "typ": "vnd.authgear.biometric-request", "kid": .string(device.keyID),
        ]
        if action == "setup" { header["jwk"] = device.signer.publicKey.jwk }
        let payload: JSONValue = [
            "iat": .number(Double(now)), "exp": .number(Double(now + 60)),
            "challenge": .string(challenge), "action": .string(action),
            "aud": .string(issuer), "client_id": "default_application",
            "device_info": ["mien": ["model": "Bench", "os": "linux"]],
        ]
        let text = [.object(header), payload].map { Base64URL.encode(JSONText.write($0).utf8) }
            .joined(separator: ".")
        do { return "\(text).\(Base64URL.encode(try device.signer.sign(Array(text.utf8))))" } catch
        { throw LoadError("cannot sign: \(error)") }
    }
}
