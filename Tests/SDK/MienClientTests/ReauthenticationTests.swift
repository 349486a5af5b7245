import Foundation
import MienAPI
import MienCore
import Synchronization
import Testing

@testable import MienClient

@Suite("Changes that need another sign-in")
struct ReauthenticationTests {
    typealias Turn = ScriptedTransport.Turn

    private static let start = Instant(seconds: 1_800_000_000)
    private static let storageKey = DeviceTokenKey(
        server: "https://login.example", application: "shop")

    private static func jwt(_ claims: JSONValue) -> String {
        [#"{"alg":"ES256"}"#, JSONText.write(claims), "no signature"].map {
            Base64URL.encode($0.utf8)
        }.joined(separator: ".")
    }

    private static func tokens(_ access: String, user: String = "usr_1") -> Turn {
        .json(
            [
                "access_token": .string(access), "token_type": "Bearer", "expires_in": 1800,
                "refresh_token": .string("refresh of \(access)"),
                "id_token": .string(jwt(["sub": .string(user)])), "scope": "openid",
            ] as JSONValue)
    }

    private static let refused = Turn.json(
        [
            "error": "insufficient_user_authentication", "error_description": "too old",
            "max_age": 300, "acr_values": "2",
        ] as JSONValue, status: 401,
        headers: [
            "www-authenticate":
                #"Bearer realm="mien", error="insufficient_user_authentication", max_age="300", acr_values="2""#
        ])
    private static let done = Turn.answer(HTTPTransportResponse(status: 204))
    private static let ok = Turn.json(["ok": true] as JSONValue)

    /// The sign-ins that the app was asked for.
    private final class Asked: Sendable {
        private let seen = Mutex<[ReauthenticationRequest]>([])
        var all: [ReauthenticationRequest] { seen.withLock { $0 } }
        func note(_ request: ReauthenticationRequest) { seen.withLock { $0.append(request) } }
    }

    private static func session(
        _ turns: [Turn], refreshToken: String? = "refresh-0", reauthenticator: Reauthenticator?
    ) async throws -> (MienSession, ScriptedTransport) {
        let transport = ScriptedTransport(turns), storage = TransientTokenStorage()
        await storage.store(
            SessionTokens(
                accessToken: Sensitive("access-0"), expiresAt: start + .seconds(900),
                refreshToken: refreshToken.map { Sensitive($0) },
                idToken: Sensitive(jwt(["sub": "usr_1"])), scope: "openid"), for: storageKey)
        var options = options(transport)
        options.usesDPoP = false
        let session = try MienSession(
            options, tokenStorage: storage, reauthenticator: reauthenticator, sleep: Naps().sleep,
            now: { start })
        try await session.configure()
        return (session, transport)
    }

    private static func change(_ session: MienSession) async throws -> JSONValue {
        try await session.send(.post, ["v1", "me", "otp", "registrations"])
    }

    private static func sent(_ transport: ScriptedTransport) -> [String] {
        transport.requests.map { request in
            let path = String(request.url.dropFirst("https://login.example".count))
            return request.headers["authorization"].map { "\(path) \($0)" } ?? path
        }
    }

    @Test("the user signs in again, the tokens are renewed, and the change is sent once more")
    func once() async throws {
        let asked = Asked()
        let (session, transport) = try await Self.session([
            Self.refused, Self.tokens("access-1"), Self.ok,
        ]) { request, _ in
            asked.note(request)
            return .steppedUp
        }
        #expect(try await Self.change(session) == ["ok": true])
        let request = try #require(asked.all.first)
        #expect(asked.all.count == 1)
        #expect(
            request.maxAge == .seconds(300) && request.acrValues == ["2"]
                && request.loginHint == "usr_1")
        #expect(
            Self.sent(transport) == [
                "/v1/me/otp/registrations Bearer access-0", "/oauth2/token",
                "/v1/me/otp/registrations Bearer access-1",
            ])
    }

    @Test("a second refusal is thrown with its requirements, and the user is not asked again")
    func onlyOnce() async throws {
        let asked = Asked()
        let (session, transport) = try await Self.session([
            Self.refused, Self.tokens("access-1"), Self.refused,
        ]) { request, _ in
            asked.note(request)
            return .steppedUp
        }
        // The app's own wrapper around a call that reauthenticates by itself changes nothing.
        let error = await #expect(throws: MienError.self) {
            try await session.performing { try await Self.change(session) }
        }
        #expect(
            error?.code == .reauthenticationRequired
                && error?.oauthError == "insufficient_user_authentication")
        #expect(
            error?.reauthentication?.maxAge == .seconds(300)
                && error?.reauthentication?.acrValues == ["2"])
        #expect(error?.reauthentication?.loginHint == "usr_1")
        #expect(asked.all.count == 1 && transport.requests.count == 3)
        #expect(await session.state == .signedIn)
    }

    @Test("without a reauthenticator the refusal is thrown, and nothing is sent again")
    func none() async throws {
        let (session, transport) = try await Self.session([Self.refused], reauthenticator: nil)
        let error = await #expect(throws: MienError.self) { try await Self.change(session) }
        #expect(
            error?.code == .reauthenticationRequired
                && error?.reauthentication?.loginHint == "usr_1")
        #expect(transport.requests.count == 1)
    }

    @Test("an error of the reauthenticator is thrown, and the change is not sent again")
    func declined() async throws {
        struct Declined: Error {}
        let (session, transport) = try await Self.session([Self.refused]) { _, _ in throw Declined()
        }
        await #expect(throws: Declined.self) { try await Self.change(session) }
        #expect(transport.requests.count == 1)
        #expect(await session.state == .signedIn)
    }

    @Test(
        "a refusal is recognized from a problem document, from the header alone, and without numbers"
    )
    func forms() async throws {
        let problem: JSONValue = [
            "type": "about:blank", "title": "t", "status": 401, "detail": "d",
            "code": "invalid_credentials",
        ]
        let header = #"DPoP error="insufficient_user_authentication", max_age=60"#
        let cases: [(Turn, Duration?, [String])] = [
            (.json(problem, status: 401, headers: ["www-authenticate": header]), .seconds(60), []),
            (
                .answer(HTTPTransportResponse(status: 401, headers: ["www-authenticate": header])),
                .seconds(60), []
            ),
            (
                .json(
                    [
                        "error": "insufficient_user_authentication", "max_age": 0,
                        "acr_values": "2 3",
                    ] as JSONValue, status: 401), .zero, ["2", "3"]
            ),
            (
                .json(
                    ["error": "insufficient_user_authentication", "max_age": -1] as JSONValue,
                    status: 401), nil, []
            ),
            (
                .json(
                    ["code": "insufficient_user_authentication", "max_age": 300] as JSONValue,
                    status: 401), .seconds(300), []
            ),
        ]
        for (turn, maxAge, classes) in cases {
            let (session, _) = try await Self.session([turn], reauthenticator: nil)
            let error = await #expect(throws: MienError.self) { try await Self.change(session) }
            #expect(
                error?.reauthentication?.maxAge == maxAge
                    && error?.reauthentication?.acrValues == classes)
        }
        // Other refusals are not affected.
        for other in [
            Turn.json(["error": "insufficient_user_authentication"] as JSONValue, status: 400),
            .json(["error": "insufficient_scope"] as JSONValue, status: 403),
            .problem(.invalidCredentials),
        ] {
            let asked = Asked()
            let (session, transport) = try await Self.session([other]) { request, _ in
                asked.note(request)
                return .steppedUp
            }
            let error = await #expect(throws: MienError.self) { try await Self.change(session) }
            #expect(error?.reauthentication == nil && error?.code != .reauthenticationRequired)
            #expect(asked.all.isEmpty && transport.requests.count == 1)
        }
    }

    @Test("an app's own request reauthenticates by throwing the error of its response")
    func ownRequests() async throws {
        let (session, transport) = try await Self.session([Self.tokens("access-1")]) { _, _ in
            .steppedUp
        }
        let headers = [
            "www-authenticate": #"Bearer error="insufficient_user_authentication", max_age="300""#
        ]
        let answer = try await session.performing {
            let sent = try await session.authorization(
                for: .post, url: "https://login.example/v1/webauthn/register")
            let isOld = sent["authorization"] == "Bearer access-0"
            if let error = MienError(
                response: HTTPTransportResponse(status: isOld ? 401 : 200, headers: headers))
            {
                throw error
            }
            return sent
        }
        #expect(answer == ["authorization": "Bearer access-1"])
        #expect(transport.requests.count == 1)
    }

    @Test(
        "a journey's token renews the session that started it; otherwise it is exchanged and ends the old sign-in"
    )
    func journeyTokens() async throws {
        let (own, ownTransport) = try await Self.session([
            Self.refused, Self.tokens("access-1"), Self.ok,
        ]) { _, _ in
            .journeyToken(Sensitive(Self.jwt(["sub": "usr_1", "sid": "grt_1"])))
        }
        _ = try await Self.change(own)
        #expect(
            String(decoding: ownTransport.requests[1].body, as: UTF8.self).contains(
                "grant_type=refresh_token"))

        let (other, transport) = try await Self.session([
            Self.refused, Self.tokens("access-1"), Self.done, Self.ok,
        ]) { _, _ in
            .journeyToken(Sensitive(Self.jwt(["sub": "usr_1"])))
        }
        _ = try await Self.change(other)
        #expect(
            Self.sent(transport) == [
                "/v1/me/otp/registrations Bearer access-0", "/oauth2/token", "/oauth2/revoke",
                "/v1/me/otp/registrations Bearer access-1",
            ])
        #expect(
            String(decoding: transport.requests[1].body, as: UTF8.self).contains("token-exchange"))
        #expect(String(decoding: transport.requests[2].body, as: UTF8.self).contains("refresh-0"))
    }

    @Test("another user's sign-in is ended and changes nothing")
    func anotherUser() async throws {
        let (session, transport) = try await Self.session([
            Self.refused, Self.tokens("evil", user: "usr_2"), Self.done, Self.ok,
        ]) { _, _ in
            .code(Sensitive("code"), redirectURI: "app:/back", codeVerifier: Sensitive("verifier"))
        }
        await #expect(throws: MienError(.reauthenticationRequired, "")) {
            try await session.performing { try await Self.change(session) }
        }
        #expect(
            Self.sent(transport) == [
                "/v1/me/otp/registrations Bearer access-0", "/oauth2/token", "/oauth2/revoke",
            ])
        #expect(
            String(decoding: transport.requests[2].body, as: UTF8.self).contains(
                "refresh%20of%20evil"))
        #expect(try await session.accessToken().use { $0 } == "access-0")
    }

    @Test("a session without a refresh token keeps its access token after a step-up")
    func withoutRefresh() async throws {
        let (session, transport) = try await Self.session(
            [Self.refused, Self.ok], refreshToken: nil
        ) { _, _ in .steppedUp }
        _ = try await Self.change(session)
        #expect(
            Self.sent(transport)
                == Array(repeating: "/v1/me/otp/registrations Bearer access-0", count: 2))
    }

    @Test("changes that are refused at the same time share one sign-in")
    func together() async throws {
        let asked = Asked(), (gate, open) = AsyncStream<Void>.makeStream()
        let (session, transport) = try await Self.session([
            Self.refused, Self.refused, Self.tokens("access-1"), Self.ok, Self.ok,
        ]) { request, _ in
            asked.note(request)
            for await _ in gate { break }
            return .steppedUp
        }
        async let first = Self.change(session)
        async let second = Self.change(session)
        while transport.requests.count < 2 { await Task.yield() }
        // Both requests have been answered; now both callers have to be waiting.
        for _ in 1...200 { await Task.yield() }
        open.yield()
        let answers = try await [first, second]
        #expect(answers == [["ok": true], ["ok": true]])
        #expect(asked.all.count == 1 && transport.turnsLeft == 0)
    }

    @Test("a reauthenticator whose own call is refused does not wait for itself")
    func recursion() async throws {
        let (session, transport) = try await Self.session([Self.refused, Self.refused]) {
            _, session in
            _ = try await Self.change(session)
            return .steppedUp
        }
        await #expect(throws: MienError(.reauthenticationRequired, "")) {
            try await Self.change(session)
        }
        #expect(transport.requests.count == 2)
    }

    @Test("a canceled change cancels the sign-in it waits for, and the next one asks again")
    func cancellation() async throws {
        let asked = Asked()
        let (session, transport) = try await Self.session([
            Self.refused, Self.refused, Self.tokens("access-1"), Self.ok,
        ]) { request, _ in
            asked.note(request)
            if asked.all.count == 1 { try await Task.sleep(for: .seconds(3600)) }
            return .steppedUp
        }
        let change = Task { try await Self.change(session) }
        while asked.all.isEmpty { await Task.yield() }
        change.cancel()
        await #expect(throws: CancellationError.self) { try await change.value }
        _ = try await Self.change(session)
        #expect(asked.all.count == 2 && transport.turnsLeft == 0)
    }
}
