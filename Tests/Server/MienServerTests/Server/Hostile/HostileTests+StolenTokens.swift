import MienAPI
import MienClient
import MienCore
import MienKeys
import Synchronization
import Testing

/// Records the requests that an app sends, as someone sees them who reads its logs or controls its
/// proxy.
private final class Wiretap: HTTPTransport {
    private let inner = AsyncHTTPTransport(), seen = Mutex<[HTTPTransportRequest]>([])
    var requests: [HTTPTransportRequest] { seen.withLock { $0 } }

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        seen.withLock { $0.append(request) }
        return try await inner.send(request)
    }
}

extension HostileTests {
    @Test(
        "a thief acts as the user with the access token, the refresh token, and the requests of an app that uses the SDK"
    )
    func stolenTokens() async throws {
        let server = try await ServeProcess.start(in: scratch),
            admin = try server.admin(#require(server.credential))
        _ = try await admin.createUser(
            UserRequest(username: "ada", password: "a password nobody has"))
        let wiretap = Wiretap(), storage = TransientTokenStorage()
        let session = try MienSession(
            MienOptions(serverPath: server.address, transport: wiretap), tokenStorage: storage)
        try await session.configure()
        let journey = try await server.client().start("password-login")
        for try await step in journey.steps {
            try await step.respond(
                "password", ["username": "ada", "password": "a password nobody has"])
        }
        guard case .success(let token) = await journey.outcome() else {
            return #expect(Bool(false), "ada cannot sign in")
        }
        try await session.signIn(journeyToken: token)
        _ = try await session.userInfo()

        let storageKey = DeviceTokenKey(server: server.address, application: "default_application")
        let tokens = try #require(await storage.tokens(for: storageKey)),
            access = tokens.accessToken.use { $0 }
        let key = try SoftwareSigner.generate(.es256), thief = TokenClient(server: server),
            armed = TokenClient(server: server, key: key)
        let json = ["content-type": "application/json"]
        let attempts: [(HTTPTransportRequest.Method, String, String)] = [
            (.get, "/oauth2/userinfo", ""), (.get, "/v1/me/passkeys", ""),
            (.post, "/v1/webauthn/register/options", "{}"),
            (.post, "/v1/me/otp/registrations", ""), (.delete, "/v1/me/biometrics/key-0001", ""),
            (.post, "/v1/journeys/password-login/start", #"{"client_id": "default_application"}"#),
        ]
        for (method, path, body) in attempts {
            let own = try await armed.proof(key, path, method: method.rawValue, token: access)
            for (name, headers) in [
                ("as a bearer token", ["authorization": "Bearer \(access)"]),
                ("without a proof", ["authorization": "DPoP \(access)"]),
                ("with a proof of another key", ["authorization": "DPoP \(access)", "dpop": own]),
                (
                    "as a bearer token with a proof",
                    ["authorization": "Bearer \(access)", "dpop": own]
                ),
            ] {
                let answer = try await thief.send(method, path, json.merging(headers) { $1 }, body)
                #expect(answer.status == 401, "\(method.rawValue) \(path) \(name)")
                #expect(
                    answer.headers["www-authenticate"]?.hasPrefix("DPoP ") == true,
                    "\(method.rawValue) \(path) \(name)")
            }
        }
        // Repeats its requests verbatim, and its proofs with other requests.
        let seen = wiretap.requests.filter { $0.headers["dpop"] != nil }
        #expect(seen.count == 2)
        for request in seen {
            let again = try await AsyncHTTPTransport().send(request)
            #expect((400...401).contains(again.status), "\(request)")
            let headers = json.merging([
                "authorization": "DPoP \(access)", "dpop": request.headers["dpop"] ?? "",
            ]) { $1 }
            #expect(try await thief.send(.get, "/v1/me/passkeys", headers).status == 401)
        }
        // The refresh token, without a key and with another key; it still works for its owner.
        let refresh = tokens.refreshToken?.use { $0 }
        #expect(try await thief.refresh(refresh).error == "invalid_grant")
        #expect(try await armed.refresh(refresh).error == "invalid_grant")
        _ = try await session.userInfo()
        #expect(await session.state == .signedIn)
        #expect(await server.stop() == 0)
    }
}
