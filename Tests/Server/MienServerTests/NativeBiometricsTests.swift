import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Synchronization
import Testing

@Suite("Device keys in journeys", .enabled(if: Installed.isThere, Installed.reason))
struct NativeBiometricsTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// A device whose owner always consents.
    private final class Pocket: DeviceKeyProvider, LocalAuthenticator {
        private let signers = Mutex<[DeviceKeyTag: SoftwareSigner]>([:])

        func makeKey(tag: DeviceKeyTag, protection: BiometricAccessConstraint) async throws
            -> DevicePublicKey
        {
            let signer = try SoftwareSigner.generate(.es256)
            signers.withLock { $0[tag] = signer }
            return signer.publicKey
        }
        private func signer(_ tag: DeviceKeyTag) throws -> SoftwareSigner {
            guard let signer = signers.withLock({ $0[tag] }) else {
                throw DeviceError(.biometricPrivateKeyNotFound, "none")
            }
            return signer
        }
        func publicKey(tag: DeviceKeyTag) async throws -> DevicePublicKey {
            try signer(tag).publicKey
        }
        func sign(_ message: [UInt8], tag: DeviceKeyTag, unlocking prompt: UnlockPrompt)
            async throws -> [UInt8]
        { try signer(tag).sign(message) }
        func deleteKey(tag: DeviceKeyTag) async throws { signers.withLock { $0[tag] = nil } }
        func listTags() async throws -> [DeviceKeyTag] { signers.withLock { $0.keys.sorted() } }

        func capability() async throws -> BiometricCapability {
            BiometricCapability(
                isSupported: true, isEnrolled: true, isPasscodeSet: true, isLockedOut: false)
        }
        func authenticate(reason: String, policy: BiometricPolicy) async throws -> LocalVerdict {
            LocalVerdict(
                method: .finger, generation: try await enrollmentGeneration(),
                at: Instant(milliseconds: 0))
        }
        func enrollmentGeneration() async throws -> EnrollmentGeneration {
            EnrollmentGeneration(bytes: [1])
        }
    }

    private static let journeys: [(id: String, steps: String)] = [
        (
            "key-register",
            """
            "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
            "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
              "failure_behavior": "abort"}, "on": {"success": "key"}},
            "key": {"type": "register_native_biometrics", "config": {"failure_behavior": "abort"}, "on": {"success": "done"}},
            "done": {"type": "complete_journey"}
            """
        ),
        (
            "key-login",
            """
            "form": {"type": "login_form", "config": {"branches": [{"id": "face", "label": "Biometrics"}, {"id": "password"}],
              "output_variable": "form"}, "on": {"face": "key", "password": "no"}},
            "key": {"type": "authenticate_native_biometrics", "config": {"user_identifier": "form.user_identifier"},
              "on": {"success": "done", "failure": "no"}},
            "no": {"type": "reject_access"},
            "done": {"type": "complete_journey"}
            """
        ),
        (
            "key-sign",
            """
            "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
            "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
              "failure_behavior": "abort"}, "on": {"success": "sign"}},
            "sign": {"type": "transaction_signing_native_biometrics", "config": {"approval_data": {"amount": "'120.50'", "to": "'CH93'"}},
              "on": {"success": "done", "failure": "no"}},
            "no": {"type": "reject_access"},
            "done": {"type": "complete_journey"}
            """
        ),
        (
            "key-delete",
            """
            "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
            "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
              "failure_behavior": "abort"}, "on": {"success": "gone"}},
            "gone": {"type": "delete_native_biometrics", "config": {"failure_behavior": "abort"}, "on": {"success": "done"}},
            "done": {"type": "complete_journey"}
            """
        ),
    ]

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
            for (id, steps) in Self.journeys {
                let text =
                    #"{"id": "\#(id)", "version": 1, "title": "Keys", "start": "form", "steps": {\#(steps)}}"#
                _ = try await server.admin.putJourney(
                    JourneyID(id)!, version: 1, definition: Array(text.utf8))
                _ = try await server.admin.publishJourney(JourneyID(id)!, version: 1)
            }
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
            #expect(amr == ["pop"], "the key is not attested")
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
