import Crypto
import Foundation
import MienAPI
import MienCore
import MienKeys
import Testing

@testable import MienClient

@Suite("Sessions whose tokens are bound to a key")
struct DPoPTests {
    typealias Turn = ScriptedTransport.Turn

    private static let start = Instant(seconds: 1_800_000_000)

    private static func discovery(
        _ algorithms: [String]? = ["ES256", "RS256"], issuer: String = "https://login.example"
    ) -> Turn {
        var members: [String: JSONValue] = ["issuer": .string(issuer)]
        if let algorithms {
            members["dpop_signing_alg_values_supported"] = .array(algorithms.map { .string($0) })
        }
        return .json(JSONValue.object(members))
    }

    private static func tokens(
        _ access: String = "access-1", type: String = "DPoP", headers: [String: String] = [:]
    ) -> Turn {
        .json(
            [
                "access_token": .string(access), "token_type": .string(type), "expires_in": 1800,
                "refresh_token": "refresh-1", "scope": "openid",
            ] as JSONValue, headers: headers)
    }

    private static let user = Turn.json(["sub": "usr_1"] as JSONValue)

    private static func refused(_ error: String, status: Int = 400, headers: [String: String] = [:])
        -> Turn
    {
        .json(
            ["error": .string(error), "error_description": "no"] as JSONValue, status: status,
            headers: headers)
    }

    private static func session(
        _ transport: ScriptedTransport, _ storage: any TokenStorage = TransientTokenStorage(),
        usesDPoP: Bool = true,
        proofKey: (any DeviceSigner)? = nil, now: Instant = start
    ) async throws -> MienSession {
        var options = options(transport)
        options.usesDPoP = usesDPoP
        let session = try MienSession(
            options, tokenStorage: storage, proofKey: proofKey, sleep: Naps().sleep, now: { now })
        try await session.configure()
        return session
    }

    private struct Proof {
        let message: VerifiedJWS
        let claims: JSONValue
        var id: String { claims["jti"]?.stringValue ?? "" }

        /// - Throws: unless the request has a proof signed by its own key.
        init(_ request: HTTPTransportRequest) throws {
            let read = try JWS.parse(compact: try #require(request.headers["dpop"]))
            message = try read.verify(with: try #require(read.key))
            claims = try JSONText.parse(message.payload)
            #expect(read.type == "dpop+jwt" && read.algorithm == .es256)
        }
    }

    private static func hash(_ token: String) -> JSONValue {
        .string(Base64URL.encode(SHA256.hash(data: Array(token.utf8))))
    }

    @Test(
        "token requests and requests with the access token carry proofs of one key, a new proof for each attempt"
    )
    func proofs() async throws {
        let transport = ScriptedTransport([
            Self.discovery(), Self.tokens(), Self.user, .fault(.interrupted),
            .problem(.unavailable), Self.user,
        ])
        let session = try await Self.session(transport)
        try await session.signIn(journeyToken: Sensitive("journey"))
        _ = try await session.userInfo()
        #expect(transport.turnsLeft == 3)
        _ = try await session.userInfo()
        let sent = transport.requests.dropFirst()
        #expect(
            sent.map { $0.url.dropFirst("https://login.example/oauth2/".count) } == [
                "token", "userinfo", "userinfo", "userinfo", "userinfo",
            ])
        let proofs = try sent.map { try Proof($0) }
        #expect(Set(proofs.map(\.id)).count == 5 && proofs.allSatisfy { $0.id.utf8.count >= 16 })
        #expect(Set(proofs.map(\.message.key)).count == 1)
        #expect(try await proofs[0].message.key.thumbprint == session.proofKeyThumbprint())
        let token = try #require(proofs.first), asked = proofs.dropFirst()
        #expect(
            token.claims["htm"] == "POST"
                && token.claims["htu"] == "https://login.example/oauth2/token"
                && token.claims["ath"] == nil)
        #expect(
            asked.allSatisfy {
                $0.claims["htm"] == "GET"
                    && $0.claims["htu"] == "https://login.example/oauth2/userinfo"
            })
        #expect(
            asked.allSatisfy {
                $0.claims["ath"] == Self.hash("access-1") && $0.claims["iat"] == 1_800_000_000
            })
        #expect(transport.requests[1].headers["authorization"] == nil)
        #expect(
            transport.requests.dropFirst(2).allSatisfy {
                $0.headers["authorization"] == "DPoP access-1"
            })
    }

    @Test("a repeated refresh has the same body and a new proof")
    func refreshes() async throws {
        let transport = ScriptedTransport([Self.discovery(), Self.tokens()]),
            storage = TransientTokenStorage()
        let session = try await Self.session(transport, storage)
        try await session.signIn(journeyToken: Sensitive("journey"))
        // Half an hour later, in a new process.
        let later = ScriptedTransport([
            Self.discovery(), .fault(.interrupted), Self.tokens("access-2"),
        ])
        let relaunched = try await Self.session(later, storage, now: Self.start + .seconds(1800))
        #expect(try await relaunched.accessToken().use { $0 } == "access-2")
        let refreshes = Array(later.requests.dropFirst())
        #expect(refreshes.count == 2 && refreshes[0].body == refreshes[1].body)
        let proofs = try refreshes.map { try Proof($0) }, before = try Proof(transport.requests[1])
        #expect(proofs[0].id != proofs[1].id && proofs[0].message.key == before.message.key)
    }

    @Test(
        "a nonce is sent when the server requires it: once in a request, and in each request after that"
    )
    func nonces() async throws {
        let transport = ScriptedTransport([
            Self.discovery(), Self.refused("use_dpop_nonce", headers: ["dpop-nonce": "n-1"]),
            Self.tokens(headers: ["dpop-nonce": "n-2"]),
            .answer(
                HTTPTransportResponse(
                    status: 401,
                    headers: [
                        "dpop-nonce": "n-3",
                        "www-authenticate":
                            #"Bearer realm="x", DPoP error="use_dpop_nonce", algs="ES256""#,
                    ])),
            Self.user,
        ])
        let session = try await Self.session(transport)
        try await session.signIn(journeyToken: Sensitive("journey"))
        _ = try await session.userInfo()
        let nonces = try transport.requests.dropFirst().map {
            try Proof($0).claims["nonce"]?.stringValue
        }
        #expect(nonces == [nil, "n-1", "n-2", "n-3"])
        // One server that always wants a new nonce, and one that repeats its nonce.
        for second in ["n-5", "n-4"] {
            transport.add(
                Self.refused("use_dpop_nonce", status: 401, headers: ["dpop-nonce": "n-4"]),
                Self.refused("use_dpop_nonce", status: 401, headers: ["dpop-nonce": second]))
            let before = transport.requests.count
            await #expect(throws: MienError(.oauthError, "")) { try await session.userInfo() }
            #expect(
                transport.requests.count == before + 2
                    || second == "n-4" && transport.requests.count == before + 1)
        }
        // Nonces with characters that a header or a token cannot hold are ignored.
        for wrong in ["", "a b", "a\"b", String(repeating: "n", count: 513)] {
            let fresh = ScriptedTransport([
                Self.discovery(), Self.refused("use_dpop_nonce", headers: ["dpop-nonce": wrong]),
            ])
            let session = try await Self.session(fresh)
            await #expect(throws: MienError(.oauthError, "")) {
                try await session.signIn(journeyToken: Sensitive("journey"))
            }
            #expect(fresh.requests.count == 2)
        }
    }

    @Test(
        "a wrong clock is corrected by the server's once; a right clock causes no second attempt"
    )
    func clocks() async throws {
        // Start is Fri, 15 Jan 2027 08:00:00 GMT.
        for (date, iat) in [
            ("Fri, 15 Jan 2027 09:00:00 GMT", 1_800_003_600.0),
            ("Fri, 15 Jan 2027 07:58:00 GMT", 1_799_999_880),
        ] {
            let transport = ScriptedTransport([
                Self.discovery(), Self.refused("invalid_dpop_proof", headers: ["date": date]),
                Self.tokens(), Self.user,
            ])
            let session = try await Self.session(transport)
            try await session.signIn(journeyToken: Sensitive("journey"))
            _ = try await session.userInfo()
            #expect(
                try transport.requests.dropFirst().map { try Proof($0).claims["iat"]?.numberValue }
                    == [1_800_000_000, iat, iat])
        }
        for date in ["Fri, 15 Jan 2027 08:00:59 GMT", "Fri, 15 Jan 2027 07:59:01 GMT", "yesterday"]
        {
            let transport = ScriptedTransport([
                Self.discovery(), Self.refused("invalid_dpop_proof", headers: ["date": date]),
            ])
            let session = try await Self.session(transport)
            await #expect(throws: MienError(.oauthError, "")) {
                try await session.signIn(journeyToken: Sensitive("journey"))
            }
            #expect(transport.requests.count == 2, "\(date)")
        }
        // A server whose time jumps.
        let transport = ScriptedTransport([
            Self.discovery(),
            Self.refused("invalid_dpop_proof", headers: ["date": "Fri, 15 Jan 2027 09:00:00 GMT"]),
            Self.refused("invalid_dpop_proof", headers: ["date": "Fri, 15 Jan 2027 10:00:00 GMT"]),
        ])
        let session = try await Self.session(transport)
        await #expect(throws: MienError(.oauthError, "")) {
            try await session.signIn(journeyToken: Sensitive("journey"))
        }
        #expect(transport.requests.count == 3)
        // A different refusal, whatever the server's clock shows.
        let other = ScriptedTransport([
            Self.discovery(),
            Self.refused("invalid_grant", headers: ["date": "Fri, 15 Jan 2027 09:00:00 GMT"]),
        ])
        let wrong = try await Self.session(other)
        await #expect(throws: MienError(.oauthError, "")) {
            try await wrong.signIn(journeyToken: Sensitive("journey"))
        }
        #expect(other.requests.count == 2)
    }

    @Test(
        "proofs use the server's issuer URL, even if requests go to another of its addresses"
    )
    func issuers() async throws {
        let transport = ScriptedTransport([
            Self.discovery(issuer: "https://sso.example/mien/"), Self.tokens(), Self.user,
        ])
        let session = try await Self.session(transport)
        try await session.signIn(journeyToken: Sensitive("journey"))
        _ = try await session.userInfo()
        #expect(
            transport.requests.map { $0.url.hasPrefix("https://login.example/") } == [
                true, true, true,
            ])
        #expect(
            try transport.requests.dropFirst().map { try Proof($0).claims["htu"] } == [
                "https://sso.example/mien/oauth2/token", "https://sso.example/mien/oauth2/userinfo",
            ])
    }

    private actor BearerStorage: TokenStorage {
        private var kept: SessionTokens?
        init(_ kept: SessionTokens? = nil) { self.kept = kept }
        func tokens(for key: DeviceTokenKey) -> SessionTokens? { kept }
        func store(_ tokens: SessionTokens, for key: DeviceTokenKey) { kept = tokens }
        func remove(_ key: DeviceTokenKey) { kept = nil }
    }

    @Test(
        "without the server's support, a store for a key, or the app's consent, tokens are bearer tokens"
    )
    func bearer() async throws {
        for (name, turns, storage, usesDPoP) in [
            (
                "the server", [Self.discovery(nil)], TransientTokenStorage() as any TokenStorage,
                true
            ),
            ("its algorithms", [Self.discovery(["RS256"])], TransientTokenStorage(), true),
            ("the storage", [], BearerStorage(), true),
            ("the app", [], TransientTokenStorage(), false),
        ] {
            let transport = ScriptedTransport(turns + [Self.tokens(type: "Bearer"), Self.user])
            let session = try await Self.session(transport, storage, usesDPoP: usesDPoP)
            try await session.signIn(journeyToken: Sensitive("journey"))
            _ = try await session.userInfo()
            #expect(transport.requests.allSatisfy { $0.headers["dpop"] == nil }, "\(name)")
            #expect(
                transport.requests.last?.headers["authorization"] == "Bearer access-1", "\(name)")
            #expect(
                try await session.authorization(for: .get, url: "https://api.example/") == [
                    "authorization": "Bearer access-1"
                ])
        }
        // The app's own key needs no storage.
        let signer = try SoftwareSigner.generate(.es256),
            transport = ScriptedTransport([Self.discovery(), Self.tokens(), Self.user])
        let session = try await Self.session(transport, BearerStorage(), proofKey: signer)
        try await session.signIn(journeyToken: Sensitive("journey"))
        _ = try await session.userInfo()
        #expect(try Proof(#require(transport.requests.last)).message.key == signer.publicKey)
    }

    @Test(
        "bearer tokens from the server stay bearer tokens; tokens bound to an unknown key are refused"
    )
    func types() async throws {
        let
            transport = ScriptedTransport([
                Self.discovery(), Self.tokens(type: "bearer"), Self.user,
            ]), session = try await Self.session(transport)
        try await session.signIn(journeyToken: Sensitive("journey"))
        _ = try await session.userInfo()
        #expect(
            transport.requests.last?.headers["authorization"] == "Bearer access-1"
                && transport.requests.last?.headers["dpop"] == nil)
        let other = ScriptedTransport([Self.tokens(type: "DPoP")]),
            plain = try await Self.session(other, usesDPoP: false)
        await #expect(throws: MienError(.serverError, "")) {
            try await plain.signIn(journeyToken: Sensitive("journey"))
        }
        #expect(await plain.state == .signedOut(.notYet))
    }

    @Test("a stored bearer sign-in continues unchanged; the next sign-in is bound")
    func upgrade() async throws {
        let stored = SessionTokens(
            accessToken: Sensitive("old"), expiresAt: Self.start,
            refreshToken: Sensitive("refresh-0"), idToken: nil, scope: "openid")
        let storage = TransientTokenStorage(),
            storageKey = DeviceTokenKey(server: "https://login.example", application: "shop")
        await storage.store(stored, for: storageKey)
        let transport = ScriptedTransport([
            Self.tokens("new", type: "Bearer"), Self.discovery(), Self.tokens("bound"),
        ])
        let session = try await Self.session(transport, storage)
        #expect(try await session.accessToken().use { $0 } == "new")
        #expect(transport.requests[0].headers["dpop"] == nil)
        try await session.signIn(journeyToken: Sensitive("journey"))
        #expect(await storage.tokens(for: storageKey)?.keyThumbprint != nil)
    }

    @Test("a sign-in ends if its key is gone")
    func lostKey() async throws {
        let storageKey = DeviceTokenKey(server: "https://login.example", application: "shop"),
            storage = TransientTokenStorage()
        let bound = SessionTokens(
            accessToken: Sensitive("a"), expiresAt: Self.start + .seconds(900), refreshToken: nil,
            idToken: nil, scope: "", keyThumbprint: "another")
        await storage.store(bound, for: storageKey)
        let session = try await Self.session(ScriptedTransport([]), storage)
        #expect(await session.state == .signedOut(.ended))
        #expect(await storage.tokens(for: storageKey) == nil)
        _ = await storage.keepProofKey(ProofKey(), for: storageKey)
        await storage.store(bound, for: storageKey)
        let other = try await Self.session(ScriptedTransport([]), storage)
        #expect(await other.state == .signedOut(.ended), "a key, but not its own")
    }

    @Test("an app's own request is authorized once, for its URL without the query")
    func ownRequests() async throws {
        let transport = ScriptedTransport([Self.discovery(), Self.tokens()]),
            session = try await Self.session(transport)
        try await session.signIn(journeyToken: Sensitive("journey"))
        var ids: Set<String> = []
        for _ in 1...2 {
            let headers = try await session.authorization(
                for: .delete, url: "https://api.example/orders/1?x=y#z", nonce: "theirs")
            #expect(headers["authorization"] == "DPoP access-1")
            let proof = try Proof(HTTPTransportRequest(method: .delete, url: "", headers: headers))
            #expect(
                proof.claims["htu"] == "https://api.example/orders/1"
                    && proof.claims["htm"] == "DELETE")
            #expect(
                proof.claims["ath"] == Self.hash("access-1") && proof.claims["nonce"] == "theirs")
            ids.insert(proof.id)
        }
        #expect(ids.count == 2)
    }

    @Test("a session's token is sent only to its own server and app")
    func foreignClient() async throws {
        let transport = ScriptedTransport([
            Self.discovery(), Self.tokens(), .json(JourneyAnswer.step("information")),
        ])
        let session = try await Self.session(transport)
        try await session.signIn(journeyToken: Sensitive("journey"))
        var elsewhere = options(transport)
        elsewhere.serverPath = "https://evil.example"
        var otherApp = options(transport)
        otherApp.applicationId = "other"
        for wrong in [elsewhere, otherApp] {
            await #expect(throws: MienError(.invalidInitializationOptions, "")) {
                try await JourneyClient(wrong, sleep: Naps().sleep).start(
                    "step-up", session: session)
            }
        }
        #expect(transport.requests.count == 2)
        _ = try await JourneyClient(options(transport), sleep: Naps().sleep).start(
            "step-up", session: session)
        let start = try #require(transport.requests.last)
        #expect(start.headers["authorization"] == "DPoP access-1")
        #expect(try Proof(start).claims["htu"] == "https://login.example/v1/journeys/step-up/start")
    }

    @Test("keys are never printed")
    func printing() {
        let key = ProofKey(), secret = key.bytes.use { $0 }
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(
                !text.contains(Base64URL.encode(secret))
                    && !text.contains("\(secret[0]), \(secret[1])") && text.utf8.count < 100)
        }
        #expect(ProofKey(bytes: key.bytes)?.publicKey == key.publicKey)
        #expect(
            ProofKey(bytes: Sensitive([])) == nil
                && ProofKey(bytes: Sensitive(Array(repeating: 0, count: 32))) == nil)
    }
}

@Suite("Token files") struct PersistentTokenStorageTests {
    private let path = FileManager.default.temporaryDirectory.appending(
        path: "mien-tokens-\(UUID().uuidString).json"
    ).path
    private let storageKey = DeviceTokenKey(server: "https://login.example", application: "shop")

    private func write(_ text: String) throws {
        try #require(
            FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]))
    }

    private func tokens(_ name: String) -> SessionTokens {
        SessionTokens(
            accessToken: Sensitive(name), expiresAt: Instant(seconds: 1),
            refreshToken: Sensitive("r"), idToken: nil, scope: "openid",
            repeatKey: Sensitive("k"), keyThumbprint: "t")
    }

    @Test("the first key stays and outlasts the tokens; each app on each server has its own")
    func keys() async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let storage = PersistentTokenStorage(path: path)
        #expect(try await storage.proofKey(for: storageKey) == nil)
        let key = try await storage.keepProofKey(ProofKey(), for: storageKey)
        #expect(
            try await storage.keepProofKey(ProofKey(), for: storageKey).publicKey == key.publicKey)
        try await storage.store(tokens("a"), for: storageKey)
        let kept = try #require(await storage.tokens(for: storageKey))
        #expect(kept.keyThumbprint == "t" && kept.repeatKey?.use { $0 } == "k")
        try await storage.remove(storageKey)
        #expect(try await storage.tokens(for: storageKey) == nil)
        #expect(try await storage.proofKey(for: storageKey)?.publicKey == key.publicKey)
        for other in [
            DeviceTokenKey(server: storageKey.server, application: "b"),
            DeviceTokenKey(server: "https://b.example", application: "shop"),
        ] {
            #expect(try await storage.proofKey(for: other) == nil)
            #expect(
                try await storage.keepProofKey(ProofKey(), for: other).publicKey != key.publicKey)
        }
    }

    @Test(
        "a file without tokens and keys is refused",
        arguments: [
            "{}", "null", "7", #"{"tokens":[]}"#, #"{"tokens":[{}],"keys":[]}"#,
            #"{"tokens":[],"keys":[{"server":"https://login.example","application":"shop","privateKey":"AAAA"}]}"#,
        ])
    func damaged(_ text: String) async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try write(text)
        await #expect(throws: PrivateFileError.self) {
            try await PersistentTokenStorage(path: path).proofKey(for: storageKey)
        }
    }
}

@Suite("Response header fields") struct ResponseHeaderTests {
    @Test(
        "times of the Date field are parsed",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Fri, 15 Jan 2027 08:00:00 GMT", 1_800_000_000),
            ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ])
    func dates(_ text: String, _ seconds: Int64) {
        #expect(Instant(httpDate: text)?.seconds == seconds)
    }

    @Test(
        "other forms and impossible times are refused",
        arguments: [
            "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 31 Apr 1994 08:49:37 GMT",
            "Wed, 29 Feb 2023 00:00:00 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
            "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1969 08:49:37 GMT", "Sun, ٠٦ Nov 1994 08:49:37 G",
        ])
    func wrongDates(_ text: String) { #expect(Instant(httpDate: text) == nil) }

    @Test("challenges of WWW-Authenticate are parsed")
    func challenges() {
        typealias Challenge = AuthenticationChallenge
        #expect(Challenge.parse("") == [])
        #expect(Challenge.parse("Bearer") == [Challenge(scheme: "bearer")])
        #expect(
            Challenge.parse(#"DPoP realm="mien", error="use_dpop_nonce""#) == [
                Challenge(scheme: "dpop", parameters: ["realm": "mien", "error": "use_dpop_nonce"])
            ])
        #expect(
            Challenge.parse(
                #"Bearer Realm = "a \"quoted\" one, and a comma" , max_age=300,, DPoP error=x, Negotiate"#
            ) == [
                Challenge(
                    scheme: "bearer",
                    parameters: ["realm": #"a "quoted" one, and a comma"#, "max_age": "300"]),
                Challenge(scheme: "dpop", parameters: ["error": "x"]),
                Challenge(scheme: "negotiate"),
            ])
        // The challenges before the first unexpected byte count.
        #expect(
            Challenge.parse(#"Bearer error="a", error="b", x="unclosed"#) == [
                Challenge(scheme: "bearer", parameters: ["error": "a"])
            ])
        #expect(Challenge.parse(#"="a", Bearer"#) == [] && Challenge.parse("a=b") == [])
        #expect(Challenge.parse(#"Bearer error="\"#) == [Challenge(scheme: "bearer")])
        #expect(Challenge.parse("Bearer " + String(repeating: "x", count: 8192)) == [])
    }
}
