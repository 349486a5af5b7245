import Foundation
import MienCore
import MienKeys
import MienLoad
import Synchronization

/// A load of one user with a device for each worker, which signs in with the device's key and
/// refreshes tokens.
final class TokenLoad: Sendable {
    private static let name = "devices", password = "a password for the devices"
    private static let grant = "urn:authgear:params:oauth:grant-type:biometric-request"
    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"

    private struct Device: Sendable {
        let signer: SoftwareSigner
        let keyID: String
    }

    private let devices: [Device]
    private let issuer: String
    /// Each worker's latest refresh token.
    private let refreshTokens: Mutex<[Int: String]> = Mutex([:])

    init(port: Int, adminPort: Int, adminCredential: String, workers: Int) throws {
        issuer = "http://127.0.0.1:\(port)"
        devices = try (0..<workers).map {
            Device(signer: try .generate(.es256), keyID: "bench-key-\($0)")
        }
        let connection = try LoadConnection(port: port),
            adminConnection = try LoadConnection(port: adminPort)
        func call(_ method: String, _ path: String, _ json: String, as credential: String? = nil)
            throws -> LoadConnection.Answer
        {
            let answer = try (credential == nil ? connection : adminConnection).request(
                method, path, type: "application/json", body: Array(json.utf8), bearer: credential)
            guard (200..<300).contains(answer.status) else {
                throw LoadError("\(method) \(path): \(answer.status) \(answer.bodyText)")
            }
            return answer
        }
        _ = try call(
            "POST", "/v1/users", #"{"username":"\#(Self.name)","password":"\#(Self.password)"}"#,
            as: adminCredential)
        _ = try call(
            "PUT", "/v1/apps/default_application",
            #"{"name":"Sample app","settings":{"biometric":{"max_keys":30}}}"#, as: adminCredential)
        let start = try call(
            "POST", "/v1/journeys/password-login/start", #"{"client_id":"default_application"}"#)
        guard let state = start.text("state", startingWith: "run_") else {
            throw LoadError("no state: \(start.bodyText)")
        }
        let end = try call(
            "POST", "/v1/journeys/respond",
            #"{"state":"\#(state)","option":"password","data":{"username":"\#(Self.name)","password":"\#(Self.password)"}}"#
        )
        guard let token = end.text("token") else { throw LoadError("no token: \(end.bodyText)") }
        let answer = try Self.form(
            connection,
            "grant_type=\(Self.exchange)&subject_token_type=urn:ietf:params:oauth:token-type:jwt&subject_token=\(token)"
        )
        guard let access = answer.text("access_token") else {
            throw LoadError("no access token: \(answer.bodyText)")
        }
        for device in devices {
            let request = try request("setup", device, connection)
            let answer = try Self.form(
                connection, "grant_type=\(Self.grant)&jwt=\(request)", bearer: access)
            guard answer.status == 200 else {
                throw LoadError("the key was not registered: \(answer.bodyText)")
            }
        }
    }

    /// Requests a challenge, signs it, and gets tokens.
    func login(_ worker: LoadRun.Worker) throws {
        let device = devices[worker.index]
        try worker.measured("login") { () throws(LoadError) in
            let request = try request("authenticate", device, worker.connection)
            let answer = try worker.measured("grant") { () throws(LoadError) in
                try Self.form(worker.connection, "grant_type=\(Self.grant)&jwt=\(request)")
            }
            guard let token = answer.text("refresh_token") else {
                throw LoadError("the login failed: \(answer.status) \(answer.bodyText)")
            }
            refreshTokens.withLock { $0[worker.index] = token }
        }
    }

    /// Refreshes tokens, after a ``login(_:)`` of the same worker.
    func refresh(_ worker: LoadRun.Worker) throws {
        let old = refreshTokens.withLock { $0[worker.index] }
        guard let old else { return try login(worker) }
        let answer = try worker.measured("refresh") { () throws(LoadError) in
            try Self.form(worker.connection, "grant_type=refresh_token&refresh_token=\(old)")
        }
        guard let token = answer.text("refresh_token") else {
            throw LoadError("the refresh failed: \(answer.status) \(answer.bodyText)")
        }
        refreshTokens.withLock { $0[worker.index] = token }
    }

    /// Requests an empty route of the same server.
    func empty(_ worker: LoadRun.Worker) throws {
        let answer = try worker.measured("empty") { () throws(LoadError) in
            try worker.connection.request("GET", "/healthz")
        }
        guard answer.status == 200 else {
            throw LoadError("the empty route failed: \(answer.status)")
        }
    }

    private static func form(_ connection: LoadConnection, _ fields: String, bearer: String? = nil)
        throws(LoadError) -> LoadConnection.Answer
    {
        try connection.request(
            "POST", "/oauth2/token", type: "application/x-www-form-urlencoded",
            body: Array("client_id=default_application&\(fields)".utf8),
            bearer: bearer)
    }

    private func request(_ action: String, _ device: Device, _ connection: LoadConnection)
        throws(LoadError) -> String
    {
        let answer = try connection.post(
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
