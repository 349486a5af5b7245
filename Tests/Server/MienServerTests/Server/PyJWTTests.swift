import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@testable import MienServer

@Suite(
    "Tokens read with PyJWT", .enabled(if: Peer.isThere, Peer.reason),
    .enabled(if: Installed.isThere, Installed.reason), .serialized,
    .timeLimit(.minutes(15)))
struct PyJWTTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static func token(_ server: TestServer) async throws -> String {
        let journey = try await server.client().start("password-login")
        try await journey.respond(
            "password", ["username": "ada", "password": "a password nobody has"])
        guard case .success(let token) = await journey.outcome() else { throw NoToken() }
        return token.use { $0 }
    }

    private struct NoToken: Error {}

    /// Returns the reader's result for each attempt.
    private static func read(_ server: TestServer, _ tries: [[String: JSONValue]]) async throws
        -> [JSONValue]
    {
        try await Peer(
            "reader",
            [
                "keys": .string(server.address + "/.well-known/jwks.json"),
                "audience": "default_application", "issuer": .string(server.address),
                "tries": .array(tries.map { .object($0) }),
            ]
        ).rest()
    }

    private static func published(_ server: TestServer) async throws -> [String] {
        let keys =
            try await server.send(.get, "/.well-known/jwks.json").body["keys"]?.arrayValue ?? []
        // The private part is not published.
        for key in keys {
            #expect(
                Set(try #require(key.objectValue).keys) == [
                    "kty", "crv", "use", "alg", "kid", "x", "y",
                ])
        }
        return keys.compactMap { $0["kid"]?.stringValue }
    }

    @Test("an app's own library accepts the token and rejects everything that only resembles it")
    func verified() async throws {
        try await TestServer.run(in: scratch, time: HandClock(ServerClock.system.now)) { server in
            let user = try await server.makeUser()
            let token = try await Self.token(server), other = try await Self.token(server)
            let tail = token.suffix(40),
                changed = token.dropLast(40) + (tail.first == "A" ? "B" : "A") + tail.dropFirst()
            let parts = token.split(separator: "."), otherParts = other.split(separator: ".")
            let seen = try await Self.read(
                server,
                [
                    ["token": .string(token)],
                    ["token": .string(token), "audience": "another_app"],
                    ["token": .string(token), "issuer": "https://elsewhere.example"],
                    ["token": .string(String(changed))],
                    ["token": .string("\(parts[0]).\(otherParts[1]).\(parts[2])")],
                    ["token": .string(token), "forge": "none"],
                    ["token": .string(token), "forge": "hs256"], ["token": .string(other)],
                ])
            let claims = try #require(seen[0]["claims"])
            #expect(
                claims["sub"] == .string(user.text) && claims["iss"] == .string(server.address)
                    && claims["aud"] == "default_application")
            #expect(
                claims["journey"] == "password-login" && claims["amr"] == ["pwd"]
                    && claims["acr"] == "1")
            #expect(
                claims["exp"] == .number(Double(server.time.now.seconds + 300))
                    && claims["iat"] == .number(Double(server.time.now.seconds)))
            let published = try await Self.published(server)
            #expect(
                seen[0]["header"]?["alg"] == "ES256"
                    && seen[0]["header"]?["kid"]?.stringValue == published.first)
            #expect(
                seen[7]["claims"]?["jti"] != nil && seen[7]["claims"]?["jti"] != claims["jti"],
                "each token has its own ID")
            #expect(
                seen[1...6].map { $0["error"] } == [
                    "InvalidAudienceError", "InvalidIssuerError", "InvalidSignatureError",
                    "InvalidSignatureError", "InvalidAlgorithmError",
                    "InvalidAlgorithmError",
                ])
        }
    }

    @Test(
        "a key is published before its period and until its last token has expired; older tokens stay valid"
    )
    func rotation() async throws {
        // Start a day ago: the reader uses the machine's clock, and the second key's first tokens
        // must be valid now.
        let time = HandClock(ServerClock.system.now - .seconds(86_400))
        try await TestServer.run(in: scratch, settings: ["MIEN_TOKEN_ROTATE_DAYS": "1"], time: time)
        { server in
            try await server.makeUser()
            let expired = try await Self.token(server)
            let first = try await Self.published(server)
            #expect(first.count == 1)
            // Too early.
            time.advance(.seconds(86_400 - TokenIssuer.announcedSeconds - 1))
            await server.server.sweep()
            #expect(try await Self.published(server) == first)
            time.advance(.seconds(TokenIssuer.announcedSeconds - 60))
            await server.server.sweep()
            let both = try await Self.published(server)
            #expect(both.count == 2 && both.last == first[0])
            let old = try await Self.token(server)
            time.advance(.seconds(61))
            await server.server.sweep()
            #expect(try await Self.published(server) == both, "no third key")
            let new = try await Self.token(server)
            let seen = try await Self.read(
                server,
                [
                    ["token": .string(expired)], ["token": .string(old)],
                    ["token": .string(new), "leeway": 5],
                ])
            #expect(seen[0]["error"] == "ExpiredSignatureError")
            #expect(seen[1]["header"]?["kid"] == .string(first[0]) && seen[1]["claims"] != nil)
            #expect(seen[2]["header"]?["kid"] == .string(both[0]) && seen[2]["claims"] != nil)

            // The first key's longest-lived token has expired; the key stays published for as long
            // again.
            time.advance(.seconds(TokenIssuer.longestSeconds))
            await server.server.sweep()
            #expect(try await Self.published(server).contains(first[0]))
            time.advance(.seconds(TokenIssuer.longestSeconds))
            await server.server.sweep()
            let rest = try await Self.published(server)
            #expect(!rest.contains(first[0]) && rest.contains(both[0]))
            #expect(
                try await Self.read(server, [["token": .string(old)]])[0]["error"]
                    == "PyJWKClientError")
        }
    }

    @Test("after a long pause, there is one signing key, and it is new")
    func longSleep() async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            let first = try await Self.published(server)
            server.time.advance(.seconds(90 * 86_400))
            await server.server.sweep()
            let keys = try await Self.published(server)
            #expect(keys.count == 1 && keys != first)
            let token = try await Self.token(server)
            #expect(
                try FaceLoginTests.verified(
                    token, keys: try await server.send(.get, "/.well-known/jwks.json").body)["aud"]
                    == "default_application")
        }
    }
}
