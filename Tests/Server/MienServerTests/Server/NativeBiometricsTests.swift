import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

@Suite("Device keys in journeys", .enabled(if: Installed.isThere, Installed.reason))
struct NativeBiometricsTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func run(
        _ journey: String, _ server: TestServer,
        _ answer: @Sendable (_ data: JSONValue?) async throws -> JSONValue
    ) async throws -> JourneyOutcome? {
        let run = try await server.client().start(journey)
        for try await step in run.steps {
            if step.options["password"] != nil, step.options["face"] == nil {
                try await step.respond(
                    "password", ["username": "ada", "password": "a password nobody has"])
            } else if step.options["face"] != nil {
                try await step.respond("face", ["user_identifier": "ada"])
            } else {
                try await step.respond(.clientInput, try await answer(step.data))
            }
        }
        return await run.outcome()
    }

    private static func claims(_ outcome: JourneyOutcome?) throws -> JSONValue? {
        guard case .success(let token) = outcome else { return nil }
        return try token.use { try TokenClient.claims($0) }
    }

    @Test(
        "journeys register a device key, sign in with it, sign a transaction, and remove it"
    )
    func life() async throws {
        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            try await KeyJourneys.publish(server)
            let pocket = Pocket()
            let device = BiometricDevice(
                keys: pocket, authenticator: pocket, model: "Pocket", system: "linux")
            let keys = NativeBiometrics(device, application: "default_application")
            @Sendable func text(_ data: JSONValue?, _ name: String) throws -> String {
                try #require(data?[name]?.stringValue)
            }

            let registered = try await run("key-register", server) { data in
                let name = try text(data, "user_identifier")
                #expect(name == user.text)
                return try await keys.registerNativeBiometrics(username: "ada").data
            }
            #expect(try Self.claims(registered)?["sub"]?.stringValue == user.text)

            @Sendable func sign(_ data: JSONValue?) async throws -> JSONValue {
                try await keys.authenticateNativeBiometrics(
                    username: "ada", challenge: try text(data, "challenge")
                ).data
            }
            let login = try await run("key-login", server, sign)
            let amr = try Self.claims(login)?["amr"]
            #expect(amr == ["pop", "x_biometric"], "the key is not attested")
            // The token endpoint sees the same key in one record.
            #expect(
                try await server.admin.authenticators(of: user).count {
                    $0.type == .known(.nativeBiometrics)
                } == 1)

            let signed = try await run("key-sign", server) { data in
                #expect(data?["approval_data"] == ["amount": "120.50", "to": "CH93"])
                return try await sign(["challenge": data?["transaction_challenge"] ?? .null])
            }
            #expect(
                try Self.claims(signed)?["approval_data"] == ["amount": "120.50", "to": "CH93"])

            // A signature over other data is refused.
            let wrong = try await run("key-login", server) { _ in
                try await keys.authenticateNativeBiometrics(
                    username: "ada", challenge: "something else"
                ).data
            }
            #expect(try Self.claims(wrong) == nil)
            let deleted = try await run("key-delete", server) { _ in [:] }
            #expect(try Self.claims(deleted) != nil)
            let late = try await run("key-login", server, sign)
            #expect(try Self.claims(late) == nil)
        }
    }
}
