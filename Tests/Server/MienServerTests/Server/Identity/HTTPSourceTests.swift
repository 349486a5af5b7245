import Foundation
import MienClient
import MienCore
import MienTesting
import Testing

@testable import MienServer

/// A service in another language that judges personal data, asked by a real server.
@Suite(
    "Identities by a service", .enabled(if: Peer.isThere, Peer.reason),
    .enabled(if: Installed.isThere, Installed.reason), .serialized, .timeLimit(.minutes(10)))
struct HTTPSourceTests {
    static let secret = "a secret that the service knows, too"
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    static func service() throws -> Peer {
        let page: JSONValue = .string(Peer.repository.appending(path: "docs/webhooks.md").path)
        return try Peer("registry_service", ["page": page, "secret": .string(secret)])
    }

    /// Settings of a server that asks the service.
    static func settings(
        _ port: Int, in scratch: ScratchFolder, _ more: [String: String] = [:]
    ) throws -> [String: String] {
        let mapping = scratch("mapping.json")
        try Data(mappingText.utf8).write(to: mapping)
        return [
            "MIEN_IDENTITY_SOURCES": "http",
            "MIEN_IDENTITY_HTTP_URL": "http://localhost:\(port)/check",
            "MIEN_IDENTITY_HTTP_MAPPING": mapping.path, "MIEN_IDENTITY_HTTP_SECRET": secret,
            "MIEN_IDENTITY_HTTP_ALLOW_PRIVATE": "true", "MIEN_IDENTITY_HTTP_TIMEOUT_SECONDS": "2",
            "MIEN_IDENTITY_PII_ATTEMPTS": "50",
        ].merging(more) { $1 }
    }

    static let mappingText = """
        {"name": "bureau",
         "send": {"firstName": "/subject/given", "lastName": "/subject/family",
                  "dateOfBirth": "/subject/born", "address": "/subject/home/line",
                  "postalCode": "/subject/home/code"},
         "constants": {"/product": "person-check"},
         "outcome": {"at": "/result/status", "values": {"DONE": "agrees", "NOT_FOUND": "unknown"}},
         "fields": {"firstName": {"at": "/fields/given", "values": {"match": 1, "no": 0}},
                    "address": {"at": "/fields/line", "of": 100},
                    "dateOfBirth": {"at": "/fields/born", "values": {"true": 1, "false": 0}},
                    "postalCode": {"at": "/fields/code", "values": {"1": 1, "0": 0}}},
         "marks": {"deceased": {"at": "/result/alerts", "values": ["DECEASED"]}}}
        """

    private func become(_ name: String, at port: Int) async throws {
        let answer = try await AsyncHTTPTransport().send(
            HTTPTransportRequest(
                method: .post, url: "http://localhost:\(port)/become/\(name)",
                headers: ["content-type": "application/json"], body: Array("{}".utf8),
                timeout: .seconds(30)))
        try #require(answer.status == 200)
    }

    private func run(
        _ more: [String: String] = [:],
        _ body: @Sendable (TestServer, VerifyingUser, Peer, Int) async throws -> Void
    ) async throws {
        let peer = try Self.service(), port = try await peer.port()
        try await TestServer.run(
            in: scratch, settings: Self.settings(port, in: scratch, more),
            time: HandClock(ServerClock.system.now)
        ) { server in
            try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server)
            try await body(server, user, peer, port)
            let logs = server.logs.text.lowercased()
            #expect(
                ["smith", "peachtree", "30318", "1975-02", Self.secret].allSatisfy {
                    !logs.contains($0)
                })
        }
    }

    @Test("the service judges signed requests, and its answers decide")
    func judgment() async throws {
        try await run { server, user, peer, _ in
            let wrong = try await user.verify(["firstName": "JACK"])
            #expect(wrong.status == 200 && wrong.body["verified"] == false)
            let seen = try await peer.next(with: "path")
            #expect(
                seen["body"] == [
                    "subject": [
                        "given": "JACK", "family": "smith", "born": "1975-02-28",
                        "home": ["line": "222333 PEACHTREE PLACE", "code": "30318"],
                    ], "product": "person-check",
                ])
            #expect(
                seen["valid"] == true && seen["headers"]?["mien-app"] == nil
                    && seen["headers"]?["mien-delivery"]?.stringValue?.hasPrefix("idv_") == true
                    && seen["headers"]?["content-type"] == "application/json")
            let nobody = try await user.verify(["lastName": "JONES"])
            #expect(nobody.body["verified"] == false && nobody.body["attemptsRemaining"] == 48)
            let right = try await user.verify()
            #expect(
                right.status == 200 && right.body["verified"] == true
                    && right.body["simulated"] == false)
            let id = try await server.userID("ada")
            let attempts = try await server.admin.verification(of: id).attempts
            #expect(
                attempts.map(\.recommendation) == [.known(.deny), .known(.deny), .known(.allow)])
            #expect(attempts.allSatisfy { $0.sources == ["bureau"] })

            try await server.makeUser("eve")
            let eve = try await VerifyingUser.signedIn("eve", on: server)
            let dead = try await eve.verify(["firstName": "LAZARUS"])
            #expect(dead.body["canAttemptVerificationAgain"] == false)
        }
    }

    @Test(
        "whatever goes wrong, the person has not failed, no attempt is counted, and the log says why",
        arguments: [
            ("slow", "no complete answer in time"), ("drip", "no complete answer in time"),
            ("huge", "too large"), ("endless", "too large"), ("text", "not valid JSON"),
            ("deep", "not valid JSON"), ("list", "unexpected value at /result/status"),
            ("wrong", "unexpected value at /result/status"), ("redirect", "status 307"),
            ("drop", "not available"), ("status-500", "status 500"), ("status-403", "status 403"),
        ])
    func failures(name: String, reason: String) async throws {
        try await run { server, user, peer, port in
            try await become(name, at: port)
            let begun = ContinuousClock.now
            let answer = try await user.verify()
            #expect(answer.status == 503 && answer.body["code"] == "unavailable")
            #expect(ContinuousClock.now - begun < .seconds(20))
            #expect(server.logs.text.contains(reason))
            let state = try await user.send(.get).body
            #expect(state["attemptsRemaining"] == 50 && state["verified"] == false)
            #expect(state["documentVerificationStatus"] == "notRequired")
            try await become("check", at: port)
            #expect(try await user.verify().body["verified"] == true)
            let paths = try await peer.end().compactMap { $0["path"]?.stringValue }
            #expect(paths == [name, "check"], "one request each, and none to another place")
        }
    }

    @Test("a wrong secret is refused by the service and counts nothing")
    func wrongSecret() async throws {
        let other = ["MIEN_IDENTITY_HTTP_SECRET": "another secret of 32 characters ..."]
        try await run(other) { server, user, peer, _ in
            let answer = try await user.verify()
            #expect(answer.status == 503)
            let seen = try await peer.next(with: "path")
            #expect(seen["valid"] == false && server.logs.text.contains("status 401"))
            let state = try await user.send(.get).body
            #expect(state["attemptsRemaining"] == 50)
        }
    }

    @Test func `during a rotation, a service that knows the former secret accepts requests`()
        async throws
    {
        let settings = [
            "MIEN_IDENTITY_HTTP_SECRET": "another secret of 32 characters ...",
            "MIEN_IDENTITY_HTTP_FORMER_SECRET": Self.secret,
        ]
        try await run(settings) { _, user, peer, _ in
            #expect(try await user.verify().body["verified"] == true)
            let seen = try await peer.next(with: "path")
            #expect(seen["valid"] == true)
            let header = try #require(seen["headers"]?["mien-signature"]?.stringValue)
            #expect(header.split(separator: ",").map { $0.prefix(2) } == ["t=", "v1", "v1"])
        }
    }

    @Test("after five failures the service is left alone for 30 s, then asked once")
    func pause() async throws {
        try await run { server, user, peer, port in
            try await become("status-500", at: port)
            for _ in 0..<8 { #expect(try await user.verify().status == 503) }
            #expect(peer.all.count { $0["path"] != nil } == 5)
            server.time.advance(.seconds(31))
            #expect(try await user.verify().status == 503)
            #expect(try await user.verify().status == 503)
            #expect(peer.all.count { $0["path"] != nil } == 6)
            try await become("check", at: port)
            server.time.advance(.seconds(31))
            #expect(try await user.verify().body["verified"] == true)
            #expect(try await user.send(.get).body["attemptsRemaining"] == 0)
        }
    }

    @Test("an address on a private network is not called unless it is allowed")
    func privateAddress() async throws {
        let certificates = try await Peer.certificates(in: scratch)
        let settings = [
            "MIEN_IDENTITY_HTTP_ALLOW_PRIVATE": "false",
            "MIEN_IDENTITY_HTTP_URL": "https://localhost:9/check",
            "MIEN_IDENTITY_HTTP_CA": certificates.appending(path: "ca.pem").path,
        ]
        try await run(settings) { server, user, _, _ in
            let answer = try await user.verify()
            #expect(answer.status == 503)
            #expect(server.logs.text.contains("the address is not public"))
        }
    }
}
