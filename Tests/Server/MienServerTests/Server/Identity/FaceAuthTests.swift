import Foundation
import MienAPI
import MienClient
import MienCore
import MienIdentity
import MienTesting
import Testing

@testable import MienServer

/// People compared with pictures that an app has of them.
@Suite("Comparing people with an app's pictures", .enabled(if: Installed.isThere, Installed.reason))
struct FaceAuthTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static func send(
        _ bank: RelyingParty, _ method: HTTPTransportRequest.Method, _ path: String = "",
        _ body: JSONValue? = nil
    ) async throws -> CapturingPerson.Answer {
        try await CapturingPerson.send(
            method, bank.server.url("/verify/api/v1/face-auth" + path), token: bank.access,
            body.map { Array(JSONText.write($0).utf8) } ?? [])
    }

    private static func reference(_ bytes: [UInt8], format: JSONValue = "jpeg") -> JSONValue {
        ["type": "raw", "content": .string(Data(bytes).base64EncodedString()), "format": format]
    }

    @Test(
        "the same person is allowed, another one is denied, and the picture is erased with all else"
    )
    func comparison() async throws {
        try await TestServer.run(in: scratch) { server in
            let bank = try await RelyingParty(server, settings: DecidedSessions.still)
            for (photo, recommendation) in [("obama2", "ALLOW"), ("biden", "DENY")] {
                let made = try await Self.send(
                    bank, .post, "",
                    [
                        "reference": Self.reference(Installed.photo("obama")), "use_case": "login",
                        "state": "s1", "time_to_live": "10m",
                    ])
                #expect(made.status == 201, "\(made.body)")
                let id = try #require(made.body["session_id"]?.stringValue)
                let device = try #require(made.body["device_session_id"]?.stringValue)
                let person = CapturingPerson(server: server, token: device)
                #expect(try await person.session().missing == ["selfie"])
                try await person.consent()
                try await person.selfie(photo)
                #expect(try await person.send(.post, "/submit").status == 200)
                _ = try await person.judged()
                for path in [id, device] {
                    let result = try await Self.send(bank, .get, "/\(path)/result").body
                    #expect(
                        result["status"] == "complete" && result["use_case"] == "login"
                            && result["state"] == "s1"
                            && result["recommendation"] == .string(recommendation), "\(result)")
                    #expect(
                        result["checks"]?["face_match"]
                            == (recommendation == "ALLOW" ? "passed" : "failed"))
                }
                let other = try await RelyingParty(server, "other-\(photo)")
                #expect(try await Self.send(other, .get, "/\(id)/result").status == 404)
                #expect(try await Self.send(bank, .delete, "/\(id)").status == 204)
                let left = try await server.server.parts.store.read {
                    try $0.verificationSessions.list(of: #require(IdentityAttemptID(id)))
                }
                #expect(left.contains { $0.role == "reference" } && !left.contains(where: \.isKept))
            }
            // A session of another kind is not one of these.
            let (session, _) = try await bank.begin(["required": ["selfie"]])
            #expect(try await Self.send(bank, .get, "/\(session)/result").status == 404)
        }
    }

    @Test("bad requests name what is wrong")
    func badInput() async throws {
        try await TestServer.run(in: scratch) { server in
            let bank = try await RelyingParty(server)
            let good = Self.reference(Installed.photo("obama"))
            for (body, field) in [
                (["reference": good], "use_case"), (["use_case": "login"], "reference"),
                (["reference": good, "use_case": "payment"], "use_case"),
                (
                    [
                        "reference": ["type": "raw", "content": "%%%", "format": "jpeg"],
                        "use_case": "login",
                    ], "reference.content"
                ),
                (["reference": Self.reference([1, 2]), "use_case": "login"], "reference.content"),
                (
                    ["reference": Self.reference(DrawnDocument.cat()), "use_case": "step-up"],
                    "reference.content"
                ),
                (
                    ["reference": good, "use_case": "login", "time_to_live": "1y"],
                    "time_to_live"
                ), (["reference": good, "use_case": "login", "other": 1], "other"),
            ] as [(JSONValue, String)] {
                let answer = try await Self.send(bank, .post, "", body)
                let found = answer.body["errors"]?.arrayValue?.first?["field"]?.stringValue
                #expect(
                    answer.status == 400 && found?.hasPrefix(field) == true,
                    "\(field): \(answer.body)")
            }
            #expect(
                try await CapturingPerson.send(
                    .post, server.url("/verify/api/v1/face-auth"), token: nil
                ).status == 401)
        }
    }

    @Test("an invented result is allowed only beside the simulator, and is marked")
    func mock() async throws {
        let body: JSONValue = [
            "required": ["selfie"], "mock_behavior": ["recommendation": "CHALLENGE"],
        ]
        try await DecidedSessions.run(in: scratch) { server in
            let bank = try await RelyingParty(server, settings: DecidedSessions.still)
            let (id, person) = try await bank.begin(body)
            try await person.consent()
            try await person.selfie()
            #expect(try await person.send(.post, "/submit").status == 200)
            _ = try await person.judged()
            let result = try await bank.send(.get, "/\(id)/result").body
            #expect(
                result["recommendation"] == "CHALLENGE" && result["simulated"] == true,
                "\(result)")
            let bad = try await bank.send(
                .post, "", ["mock_behavior": ["recommendation": "MAYBE"]])
            #expect(bad.status == 400)
        }
    }

    @Test("without the simulator, nothing is invented; /oidc/token gives an app its token")
    func realServer() async throws {
        try await TestServer.run(in: scratch) { server in
            let made = try await server.admin.createApp(
                AppRequest(id: "bank", name: "Bank", type: .confidential, settings: [:]))
            let secret = try #require(made.clientSecret)
            let form =
                "grant_type=client_credentials&client_id=bank&client_secret=\(secret)"
            let token = try await CapturingPerson.send(
                .post, server.url("/oidc/token"), token: nil, Array(form.utf8),
                type: "application/x-www-form-urlencoded")
            let access = try #require(token.body["access_token"]?.stringValue, "\(token.body)")
            let body: JSONValue = [
                "required": ["selfie"], "mock_behavior": ["recommendation": "ALLOW"],
            ]
            let refused = try await CapturingPerson.send(
                .post, server.url("/verify/api/v1/verification"), token: access,
                Array(JSONText.write(body).utf8))
            #expect(
                refused.status == 400
                    && refused.body["errors"]?.arrayValue?.first?["field"] == "mock_behavior",
                "\(refused.body)")
            let wrong = try await CapturingPerson.send(
                .post, server.url("/oidc/token"), token: nil, Array("grant_type=x".utf8),
                type: "application/x-www-form-urlencoded")
            #expect([400, 401].contains(wrong.status) && wrong.body["error"] != nil)
        }
    }
}
