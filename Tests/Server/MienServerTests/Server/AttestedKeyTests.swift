import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienServerTesting
import MienTesting
import Testing

@Suite("Attested keys", .enabled(if: Installed.isThere, Installed.reason))
struct AttestedKeyTests {
    private let scratch: ScratchFolder
    private let maker: DeviceMaker

    init() throws {
        scratch = try ScratchFolder()
        maker = try DeviceMaker(scratch("maker"))
    }

    /// Runs a server that trusts the manufacturer, with an app that requests attestations, a
    /// signed-in user, and their device.
    private func withDevice(
        _ body: @Sendable (TestServer, WireDevice, _ accessToken: String?) async throws -> Void
    ) async throws {
        try await TestServer.run(
            in: scratch, settings: maker.settings.merging(["MIEN_FRESH_SECONDS": "3600"]) { $1 },
            time: HandClock(TestAuthority.now)
        ) { server in
            try await server.makeUser()
            let client = TokenClient(server: server)
            let tokens = try await client.signIn()
            #expect(tokens.status == 200, "\(tokens.body)")
            try await server.askForAttestation()
            try await body(server, WireDevice(client), tokens["access_token"])
        }
    }

    /// Sends a setup request with the attestation that `attest` creates for the key and challenge.
    private func setUp(
        _ device: WireDevice, _ access: String?,
        _ attest: (DevicePublicKey, String) throws -> JSONValue?
    ) async throws -> TokenClient.Answer {
        // Once a key is attested, adding another requires it.
        let access = try await strongest(device, access),
            challenge = try await device.client.challenge()
        let attestation = try attest(device.signer.publicKey, challenge)
        return try await device.setUp(
            access,
            jwt: device.request("setup", challenge: challenge, claims: ["attestation": attestation])
        )
    }

    /// Returns the access token of a sign-in with the device's key, or `access` if the device has
    /// no key.
    private func strongest(_ device: WireDevice, _ access: String?) async throws -> String? {
        try await device.logIn()["access_token"] ?? access
    }

    private func attested(_ server: TestServer) async throws -> [JSONValue] {
        try await server.admin.authenticators(of: server.userID("ada")).filter {
            $0.type == .known(.nativeBiometrics)
        }
        .map { $0.info["attestation"] ?? .null }
    }

    @Test(
        "an attested key is registered and logs in, and administrators see what was proved"
    )
    func android() async throws {
        try await withDevice { server, device, access in
            let answer = try await setUp(device, access) { try maker.android($0, $1) }
            #expect(answer.status == 200, "\(answer.body)")
            #expect(try await device.logIn().status == 200)
            let proved: JSONValue = ["format": "android-key", "level": "tee", "os_patch": "202601"]
            #expect(try await attested(server) == [proved])
            let entry = try await server.admin.audit().items.last {
                $0.event == "native_biometrics.registered"
            }
            #expect(entry?.detail["attestation"] == proved)
            #expect(try await server.lastRefusal() == nil)
        }
    }

    @Test(
        "each violation of the app's policy is refused with its code for the client and administrators"
    )
    func refusals() async throws {
        try maker.revoke(["66"])
        try await withDevice { server, device, access in
            typealias Difference = DeviceMaker.Difference
            let stranger = try TestAuthority("Somebody"),
                other = try SoftwareSigner.generate(.es256).publicKey
            let used = try await device.client.challenge()
            func described(_ change: @escaping @Sendable (inout MadeDescription) -> Void)
                -> Difference
            { Difference(description: change) }
            func app(_ package: String, _ signer: [UInt8]) -> Difference {
                described {
                    $0.software[709] = DERText.octets(
                        MadeDescription.application([(package, 7)], [signer]))
                }
            }
            let cases: [(String, Difference)] = [
                ("attestation.challenge", Difference(challenge: used)),
                ("attestation.challenge", Difference(challenge: "")),
                ("attestation.key-mismatch", Difference(key: other)),
                ("attestation.chain-expired", Difference(end: TestAuthority.now - .seconds(1))),
                ("attestation.revoked", Difference(serial: 0x66)),
                ("attestation.chain-untrusted", Difference(root: stranger)),
                (
                    "android.security-level",
                    described { ($0.attestationLevel, $0.keyMintLevel) = (0, 0) }
                ),
                ("android.security-level", described { $0.keyMintLevel = 0 }),
                (
                    "android.unlocked",
                    described { $0.hardware[704] = MadeDescription.rootOfTrust(locked: false) }
                ),
                (
                    "android.boot-state",
                    described { $0.hardware[704] = MadeDescription.rootOfTrust(state: 1) }
                ),
                ("android.user-authentication", described { $0.hardware[503] = DERText.null }),
                (
                    "android.user-authentication",
                    described { $0.hardware[504] = DERText.integer(1) }
                ),
                (
                    "android.user-authentication",
                    described { $0.hardware[505] = DERText.integer(10) }
                ),
                ("android.origin", described { $0.hardware[702] = DERText.integer(2) }),
                ("android.application", app("org.example.other", DeviceMaker.signer)),
                ("android.application", app(DeviceMaker.package, [UInt8](repeating: 8, count: 32))),
            ]
            for (code, difference) in cases {
                let answer = try await setUp(device, access) {
                    try maker.android($0, $1, difference)
                }
                #expect(
                    answer.status == 400 && answer.error == "invalid_grant",
                    "\(code): \(answer.body)")
                #expect(
                    answer["error_description"]?.hasPrefix("The attestation was refused: \(code): ")
                        == true, "\(answer.body)")
                #expect(try await server.lastRefusal() == code)
            }
            #expect(try await attested(server) == [], "nothing was registered")
            #expect(
                try await setUp(device, access) { try maker.android($0, $1) }.status == 200,
                "without a difference, it is accepted")
        }
    }

    @Test("a malformed attestation is an invalid request, and a missing one is refused")
    func forms() async throws {
        try await withDevice { server, device, access in
            let right = try maker.android(device.signer.publicKey, "x").objectValue ?? [:]
            let wrong: [JSONValue] = [
                .null, "android-key", [:], ["format": "packed"], ["format": "android-key"],
                ["format": "android-key", "chain": []],
                ["format": "android-key", "chain": ["-"]], ["format": "android-key", "chain": [7]],
                .object(right.merging(["more": 1]) { $1 }),
                ["format": "android-key", "chain": .array(Array(repeating: "AA==", count: 9))],
                ["format": "apple-appattest", "object": "AA=="],
                ["format": "apple-appattest", "object": "AA==", "key_id": "?"],
            ]
            for value in wrong {
                let answer = try await setUp(device, access) { _, _ in value }
                #expect(
                    answer.status == 400 && answer.error == "invalid_request",
                    "\(value): \(answer.body)")
                #expect(answer["error_description"]?.hasPrefix("jwt: “attestation” ") == true)
            }
            let none = try await setUp(device, access) { _, _ in nil }
            #expect(
                none.error == "invalid_grant"
                    && none["error_description"]?.contains("attested keys only") == true)
            #expect(try await server.lastRefusal() == "attestation.missing")
        }
    }

    @Test(
        "none ignores attestations; if_given accepts keys without one and refuses invalid ones"
    )
    func policies() async throws {
        try await withDevice { server, device, access in
            try await server.askForAttestation("none")
            #expect(try await setUp(device, access) { _, _ in "nonsense" }.status == 200)
            #expect(
                try await attested(server) == [.null], "an unchecked attestation is not reported")
            try await server.askForAttestation("if_given")
            var second = try WireDevice(device.client)
            second.deviceID = "device-0002"
            #expect(
                try await setUp(second, access) {
                    try maker.android($0, $1, .init(challenge: "old"))
                }.error == "invalid_grant")
            #expect(try await setUp(second, access) { _, _ in nil }.status == 200)
            #expect(try await attested(server) == [.null, .null])
            // The same key, attested later.
            let challenge = try await device.client.challenge(),
                statement = try maker.android(device.signer.publicKey, challenge)
            let again = try await device.setUp(
                access,
                jwt: device.request(
                    "setup", challenge: challenge, claims: ["attestation": statement]))
            #expect(again.status == 200)
            #expect(try await attested(server).compactMap { $0["format"] } == ["android-key"])
            #expect(
                try await server.admin.audit().items.contains {
                    $0.event == "native_biometrics.attested"
                })
        }
    }

    @Test(
        "an app may require StrongBox, biometrics alone, or no user; each package needs its own signers; an empty list accepts no app"
    )
    func appSettings() async throws {
        try await withDevice { server, device, access in
            func code(_ difference: DeviceMaker.Difference = .init()) async throws -> String? {
                let answer = try await setUp(device, access) {
                    try maker.android($0, $1, difference)
                }
                #expect(answer.status == 200 || answer.error == "invalid_grant", "\(answer.body)")
                return answer.status == 200 ? nil : try await server.lastRefusal()
            }
            @Sendable func strong(_ description: inout MadeDescription) {
                (description.attestationLevel, description.keyMintLevel) = (2, 2)
            }
            try await server.askForAttestation("required", ["android_level": "strongbox"])
            #expect(try await code() == "android.security-level")
            #expect(try await code(.init(description: { strong(&$0) })) == nil)
            #expect(try await attested(server).map { $0["level"] } == ["strongbox"])

            let both = DeviceMaker.Difference(description: { $0.hardware[504] = DERText.integer(3) }
            )
            try await server.askForAttestation(
                "required", ["android_user_authentication": "biometric_only"])
            #expect(try await code(both) == "android.user-authentication")
            try await server.askForAttestation()
            #expect(try await code(both) == nil)
            let noUser = DeviceMaker.Difference(description: { $0.hardware[503] = DERText.null })
            #expect(try await code(noUser) == "android.user-authentication")
            try await server.askForAttestation("required", ["android_user_authentication": "any"])
            #expect(try await code(noUser) == nil)

            let digests = [DeviceMaker.signer, [UInt8](repeating: 8, count: 32)].map {
                JSONValue.string(Hex.text($0))
            }
            let apps: JSONValue = [
                ["package": .string(DeviceMaker.package), "signature_digests": [digests[1]]],
                ["package": "org.example.other", "signature_digests": [digests[0]]],
            ]
            try await server.askForAttestation("required", ["android_apps": apps])
            #expect(try await code() == "android.application", "signed by another package's signer")
            try await server.askForAttestation("required", ["android_apps": []])
            #expect(try await code() == "android.application")
            let answer = try await setUp(device, access) { try maker.android($0, $1) }
            #expect(
                answer["error_description"]?.contains("its settings list no android_apps") == true)
            await #expect(throws: (any Error).self) {
                try await server.askForAttestation(
                    "required", ["android_apps": [], "apple_apps": []])
            }
        }
    }

    @Test("App Attest proves the app and is bound to the key and the challenge")
    func apple() async throws {
        try await withDevice { server, device, access in
            let other = try SoftwareSigner.generate(.es256).publicKey
            func code(_ attest: (DevicePublicKey, String) throws -> JSONValue) async throws
                -> String?
            {
                let answer = try await setUp(device, access, attest)
                #expect(answer.status == 200 || answer.error == "invalid_grant", "\(answer.body)")
                return answer.status == 200 ? nil : try await server.lastRefusal()
            }
            let development = MadeAppAttest(aaguid: Array("appattestdevelop".utf8))
            #expect(
                try await code { key, _ in try maker.apple(key, "another challenge") }
                    == "apple.nonce")
            #expect(try await code { try maker.apple(other, $1) } == "apple.nonce")
            #expect(
                try await code { try maker.apple($0, $1, app: "ABCDE12345.org.example.other") }
                    == "attestation.relying-party")
            #expect(try await code { try maker.apple($0, $1, development) } == "apple.environment")
            #expect(
                try await code { try maker.apple($0, $1, MadeAppAttest(counter: 1)) }
                    == "attestation.counter")
            try await server.askForAttestation("required", ["apple_apps": []])
            #expect(try await code { try maker.apple($0, $1) } == "attestation.relying-party")
            #expect(try await attested(server) == [])
            // The second of two listed apps.
            try await server.askForAttestation(
                "required",
                ["apple_apps": ["ABCDE12345.org.example.first", .string(DeviceMaker.appleApp)]])
            #expect(try await code { try maker.apple($0, $1) } == nil)
            #expect(
                try await attested(server) == [
                    ["format": "apple-appattest", "level": "app", "environment": "production"]
                ])
            #expect(try await device.logIn().status == 200, "with its own key")
            try await server.askForAttestation("required", ["apple_development": true])
            #expect(try await code { try maker.apple($0, $1, development) } == nil)
            #expect(try await attested(server).map { $0["environment"] } == ["development"])
        }
    }

    @Test(
        "the list of leaked keys is reloaded when it changes, and a broken copy removes no keys"
    )
    func statusList() async throws {
        try await withDevice { server, device, access in
            func answer() async throws -> TokenClient.Answer {
                try await setUp(device, access) { try maker.android($0, $1, .init(serial: 0x77)) }
            }
            #expect(try await answer().status == 200)
            try maker.revoke(["77"])
            #expect(try await answer().error == "invalid_grant")
            #expect(try await server.lastRefusal() == "attestation.revoked")
            try "{".write(to: maker.revoked, atomically: true, encoding: .utf8)
            #expect(try await answer().error == "invalid_grant")
            #expect(server.logs.text.contains("attestation.revoked cannot be read"))
            try FileManager.default.removeItem(at: maker.revoked)
            #expect(try await answer().error == "invalid_grant")
            try maker.revoke(["78"])
            #expect(try await answer().status == 200)
        }
    }

    @Test("no part of a chain reaches the log or the audit log")
    func silence() async throws {
        try await withDevice { server, device, access in
            for difference in [
                DeviceMaker.Difference(), DeviceMaker.Difference(challenge: "another"),
            ] {
                var sent = ""
                _ = try await setUp(device, access) {
                    let statement = try maker.android($0, $1, difference)
                    sent = try #require(statement["chain"]?.arrayValue?.first?.stringValue)
                    return statement
                }
                let audit = try await server.admin.audit().items.map {
                    JSONText.write(.object($0.detail))
                }.joined()
                for offset in [40, sent.count / 2] {
                    let piece = String(sent.dropFirst(offset).prefix(24))
                    #expect(
                        piece.count == 24 && !server.logs.text.contains(piece)
                            && !audit.contains(piece))
                }
            }
        }
    }

    @Test(
        "malformed files stop the server, and the error names them",
        arguments: [
            ("MIEN_ATTESTATION_ROOTS", "attestation.roots", "must contain PEM certificates"),
            (
                "MIEN_ATTESTATION_REVOKED", "attestation.revoked",
                "is not a copy of Google's status list"
            ),
        ])
    func files(variable: String, setting: String, words: String) async throws {
        for (path, words) in [(#filePath, words), ("/nonexistent/file", "cannot be read")] {
            let error = await #expect(throws: (any Error).self) {
                try await TestServer.run(in: scratch, settings: [variable: path]) { _ in }
            }
            #expect(
                "\(try #require(error))".contains("\(setting): \(path) \(words)"),
                "\(String(describing: error))")
        }
    }

    // MARK: Journeys

    private func publish(_ server: TestServer) async throws {
        let path = Repository.root
            .appending(path: "Examples/Journeys/register-device.json")
        let journey = JourneyID("register-device")!
        _ = try await server.admin.putJourney(
            journey, version: 1, definition: [UInt8](Data(contentsOf: path)))
        _ = try await server.admin.publishJourney(journey, version: 1)
    }

    /// - Returns: The step after the device's answer.
    private func register(
        _ server: TestServer, _ device: WireDevice, _ access: String?, after wait: Duration = .zero,
        _ attestation: (String) throws -> String?
    ) async throws -> JSONValue {
        let headers = [
            "content-type": "application/json", "authorization": "Bearer \(access ?? "")",
        ]
        let asked = try await server.send(
            .post, "/v1/journeys/register-device/start", headers: headers,
            #"{"client_id": "default_application"}"#)
        #expect(asked.status == 200, "\(asked.body)")
        let challenge = try #require(asked.body["data"]?["challenge"]?.stringValue)
        var data: [String: JSONValue] = [
            "publicKey": .string(JSONText.write(device.signer.publicKey.jwk)),
            "publicKeyId": .string(device.keyID), "os": "android",
        ]
        data["attestation"] = try attestation(challenge).map { .string($0) }
        server.time.advance(wait)
        let body: JSONValue = [
            "state": asked.body["state"] ?? .null, "option": "client_input", "data": .object(data),
        ]
        return try await server.send(.post, "/v1/journeys/respond", JSONText.write(body)).body
    }

    @Test(
        "a journey step issues the challenge for the attestation and applies the same policy"
    )
    func journey() async throws {
        try await withDevice { server, device, access in
            try await publish(server)
            let key = device.signer.publicKey
            func isRefused(_ answer: JSONValue) -> Bool {
                answer["data"]?["text"]?.stringValue?.contains("attestation_refused") == true
            }
            let late = try await register(server, device, access, after: .seconds(301)) {
                JSONText.write(try maker.android(key, $0))
            }
            #expect(isRefused(late), "\(late)")
            #expect(try await server.lastRefusal() == "attestation.challenge")
            #expect(isRefused(try await register(server, device, access) { _ in nil }))
            #expect(try await server.lastRefusal() == "attestation.missing")
            #expect(isRefused(try await register(server, device, access) { _ in "o2Nm" }))
            #expect(try await server.lastRefusal() == "attestation.form")
            #expect(
                isRefused(
                    try await register(server, device, access) { _ in
                        JSONText.write(try maker.android(key, "another"))
                    }))
            #expect(try await server.lastRefusal() == "attestation.challenge")
            #expect(try await attested(server) == [])
            let done = try await register(server, device, access) {
                JSONText.write(try maker.android(key, $0))
            }
            #expect(!isRefused(done) && done["token"]?.stringValue != nil, "\(done)")
            #expect(try await attested(server).map { $0["format"] } == ["android-key"])
            #expect(try await device.logIn().status == 200)

            try await server.askForAttestation("none")
            let second = try WireDevice(device.client)
            let slow = try await register(
                server, second, strongest(device, access), after: .seconds(301)
            ) { _ in nil }
            #expect(
                slow["token"]?.stringValue != nil,
                "without an attestation, an expired challenge is accepted: \(slow)")
        }
    }
}
