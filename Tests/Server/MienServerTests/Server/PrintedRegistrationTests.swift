import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienServerTesting
import MienTesting
import Testing

/// The code that the page of the registration step prints, with our names.
@Suite("Registration step's printed code", .enabled(if: Installed.isThere, Installed.reason))
struct PrintedRegistrationTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// The end of a journey: the claims of its token, the app's errors, and the identifiers that the
    /// steps named.
    private struct Seen: Sendable {
        let claims: JSONValue?
        let token: Sensitive<String>?
        let errors: [String]
        let identifiers: [String]

        var user: String? { claims?["sub"]?.stringValue }
    }

    /// The page's Swift code: a delegate, and a closure for the device's key.
    @MainActor
    private final class SwiftApp: MienDelegate {
        let user: String
        /// The text that the person types into a login form that asks for an identifier.
        let typed: String
        private(set) var errors: [String] = []
        private(set) var identifiers: [String] = []
        private(set) var response: MienServiceResponse?
        private var onEnd: CheckedContinuation<Void, Never>?

        init(_ user: String, typing typed: String? = nil) {
            (self.user, self.typed) = (user, typed ?? user)
        }

        /// Runs a journey, and returns what the app saw.
        static func run(
            _ journey: String, _ user: String = "ada", typing typed: String? = nil
        ) async throws -> Seen {
            let app = SwiftApp(user, typing: typed), claims = try await app.run(journey)
            return Seen(
                claims: claims, token: app.response?.token, errors: app.errors,
                identifiers: app.identifiers)
        }

        private func run(_ journey: String) async throws -> JSONValue? {
            Mien.delegate = self
            try start(journey)
            await withCheckedContinuation { onEnd = $0 }
            return try response?.token?.use { try TokenClient.claims($0) }
        }

        /// Not `async`, so that it calls the form that reports to the delegate.
        private func start(_ journey: String) throws { try Mien.startJourney(journeyId: journey) }

        func mienDidReceiveResult(_ result: Result<MienServiceResponse, MienError>) {
            switch result {
            case .success(let response): handle(response)
            case .failure(let error):
                errors.append(error.code.rawValue)
                onEnd?.resume()
            }
        }

        private func handle(_ response: MienServiceResponse) {
            self.response = response
            switch response.journeyStepId {
            case .loginForm where response.option("face") != nil:
                try? Mien.submitClientResponse(
                    clientResponseOptionId: "face", data: ["user_identifier": .string(typed)])
            case .loginForm:
                try? Mien.submitClientResponse(
                    clientResponseOptionId: "password",
                    data: ["username": .string(user), "password": "a password nobody has"])
            case .registerNativeBiometrics: register(response)
            case .nativeBiometricsAuthentication:
                sign(response, response.data?["challenge"]?.stringValue)
            case .nativeBiometricsTransactionSigning:
                sign(response, response.data?["transaction_challenge"]?.stringValue)
            default: onEnd?.resume()
            }
        }

        private func register(_ response: MienServiceResponse) {
            guard let userId = response.data?["user_identifier"]?.stringValue else { return }
            identifiers.append(userId)
            // Registers biometric credentials on the device.
            MienAuthentication.registerNativeBiometrics(username: userId) { result in
                switch result {
                case .success(let response):
                    var data: [String: JSONValue] = [
                        "publicKey": .string(response.publicKey),
                        "publicKeyId": .string(response.publicKeyId),
                        "os": "ios",
                    ]

                    if let attestation = response.attestation {
                        data["attestation"] = .string(attestation)
                    }

                    // Submits the registration result back to the journey.
                    try? Mien.submitClientResponse(
                        clientResponseOptionId: .clientInput, data: .object(data))
                case .failure(let error):
                    self.errors.append(error.code.rawValue)
                    try? Mien.submitClientResponse(clientResponseOptionId: .fail)
                }
            }
        }

        private func sign(_ response: MienServiceResponse, _ challenge: String?) {
            guard let userId = response.data?["user_identifier"]?.stringValue, let challenge else {
                return
            }
            identifiers.append(userId)
            MienAuthentication.authenticateNativeBiometrics(
                username: userId, challenge: challenge
            ) { result in
                switch result {
                case .success(let proof):
                    try? Mien.submitClientResponse(
                        clientResponseOptionId: .clientInput,
                        data: [
                            "publicKeyId": .string(proof.publicKeyId),
                            "signature": .string(proof.signature),
                        ])
                case .failure(let error):
                    self.errors.append(error.code.rawValue)
                    try? Mien.submitClientResponse(clientResponseOptionId: .fail)
                }
            }
        }
    }

    /// The page's Kotlin code: handlers for the journey and for the device's key.
    @MainActor
    private final class KotlinApp: MienHandler, MienBiometricsHandler {
        typealias Value = NativeBiometrics.Registration
        private(set) var response: MienServiceResponse?
        private(set) var errors: [String] = []
        private var onEnd: CheckedContinuation<Void, Never>?

        func run(_ journey: String) async -> MienServiceResponse? {
            Mien.startJourney(journey, nil, self)
            await withCheckedContinuation { onEnd = $0 }
            return response
        }

        func success(_ idoResponse: MienServiceResponse) {
            response = idoResponse
            switch idoResponse.journeyStepId {
            case .loginForm:
                Mien.submitClientResponse(
                    "password", ["username": "ada", "password": "a password nobody has"], self)
            case .registerNativeBiometrics:
                // Stores the user identifier provided by the journey.
                let userId = idoResponse.responseData?["user_identifier"]?.stringValue ?? ""
                MienAuthentication.registerNativeBiometrics(username: userId, self)
            default: onEnd?.resume()
            }
        }

        func failure(_ error: MienError) {
            errors.append(error.code.rawValue)
            onEnd?.resume()
        }

        func success(_ result: NativeBiometrics.Registration) {
            Mien.submitClientResponse(
                .clientInput,
                [
                    "publicKeyId": .string(result.keyId()), "publicKey": .string(result.publicKey),
                    "os": "Android",
                ], self)
        }

        func error(_ error: DeviceError) {
            errors.append(error.code.rawValue)
            Mien.submitClientResponse(.fail, nil, self)
        }
    }

    private func withServer(
        settings: [String: String] = [:], time: HandClock = HandClock(),
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(in: scratch, settings: settings, time: time) { server in
            for name in ["ada", "bob"] { try await server.makeUser(name) }
            try await KeyJourneys.publish(server)
            try await Mien.initialize(
                MienOptions(
                    serverPath: server.address, applicationId: "default_application",
                    retry: RetryPolicy(attempts: 1)))
            try await body(server)
        }
    }

    private func keys(_ server: TestServer, of name: String = "ada") async throws -> Int {
        try await server.admin.authenticators(of: server.userID(name)).count {
            $0.type == .known(.nativeBiometrics)
        }
    }

    @Test(
        "a key that the printed Swift code registers is found by what is typed and by the user's ID"
    )
    func swift() async throws {
        try await withServer { server in
            try await MienAuthentication.initialize(Pocket().device)
            for name in ["ada", "bob"] {
                let user = try await server.userID(name).text
                let registered = try await SwiftApp.run("key-register", name)
                #expect(registered.user == user, "\(registered.errors)")
                #expect(registered.identifiers == [user])
            }
            for name in ["ada", "bob"] {
                let user = try await server.userID(name).text
                for typed in [name, "\(name)@example.org", user] {
                    let login = try await SwiftApp.run("key-login", name, typing: typed)
                    #expect(login.user == user, "\(typed): \(login.errors)")
                    #expect(login.identifiers == [typed], "the step repeats what was typed")
                }
                let signed = try await SwiftApp.run("key-sign", name)
                #expect(signed.user == user, "\(signed.errors)")
                #expect(signed.claims?["approval_data"] == ["amount": "120.50", "to": "CH93"])
                #expect(signed.identifiers == [user])
            }
            let stranger = try await SwiftApp.run("key-login", typing: "eve")
            #expect(stranger.claims == nil)
            #expect(stranger.errors == ["biometric_private_key_not_found"])
        }
    }

    @Test("the printed Kotlin code registers a key, too")
    func kotlin() async throws {
        try await withServer { server in
            try await MienAuthentication.initialize(Pocket().device)
            let end = await KotlinApp().run("key-register")
            #expect(end?.journeyStepId == .success)
            let key = try #require(
                try await server.admin.authenticators(of: server.userID("ada")).first {
                    $0.type == .known(.nativeBiometrics)
                })
            #expect(key.info["os"] == "android" && key.info["name"] == "Android")
            let user = try await server.userID("ada").text
            #expect(try await SwiftApp.run("key-login", "ada").user == user)
        }
    }

    @Test("registering again on the same device replaces the record")
    func again() async throws {
        try await withServer { server in
            let pocket = Pocket()
            try await MienAuthentication.initialize(pocket.device)
            for _ in 1...3 {
                #expect(try await SwiftApp.run("key-register", "ada").claims != nil)
                #expect(try await keys(server) == 1)
                #expect(try await pocket.listTags().count == 1)
                #expect(try await SwiftApp.run("key-login", "ada").claims != nil)
            }
            // Another device has a record of its own.
            try await Mien.initialize(
                MienOptions(serverPath: server.address, retry: RetryPolicy(attempts: 1)))
            try await MienAuthentication.initialize(Pocket().device)
            #expect(try await SwiftApp.run("key-register", "ada").claims != nil)
            #expect(try await keys(server) == 2)
            #expect(try await SwiftApp.run("key-register", "bob").claims != nil)
            #expect(try await keys(server, of: "bob") == 1)
            let audit = try await server.admin.audit().items.filter {
                $0.event == "native_biometrics.registered"
            }
            #expect(audit.map { $0.detail["replaced"]?.numberValue } == [0, 1, 1, 0, 0])
        }
    }

    @Test("without the facade, the only key of a device is found by any name of its user")
    func values() async throws {
        try await withServer { server in
            let biometrics = NativeBiometrics(Pocket().device, application: "default_application")
            let user = try await server.userID("ada").text
            func run(
                _ id: String, typing typed: String = "ada",
                _ answer: (JourneyStep) async throws -> JSONValue
            ) async throws -> JSONValue? {
                let journey = try await server.client().start(id)
                for try await step in journey.steps {
                    if step.options["face"] != nil {
                        try await step.respond("face", ["user_identifier": .string(typed)])
                    } else if step.options["password"] != nil {
                        try await step.respond(
                            "password", ["username": "ada", "password": "a password nobody has"])
                    } else {
                        try await step.respond(.clientInput, try await answer(step))
                    }
                }
                guard case .success(let token) = await journey.outcome() else { return nil }
                return try token.use { try TokenClient.claims($0) }
            }
            func name(_ step: JourneyStep) throws -> String {
                try #require(step.data?["user_identifier"]?.stringValue)
            }
            func sign(_ step: JourneyStep) async throws -> JSONValue {
                try await biometrics.authenticateNativeBiometrics(
                    username: try name(step),
                    challenge: try #require(step.data?["challenge"]?.stringValue)
                ).data
            }
            // Only the user's ID is passed on.
            let plain = try await run("key-register") { step in
                try await biometrics.registerNativeBiometrics(username: try name(step)).data
            }
            #expect(plain?["sub"]?.stringValue == user)
            #expect(try await run("key-login", sign)?["sub"]?.stringValue == user)
            #expect(try await run("key-login", typing: user, sign)?["sub"]?.stringValue == user)
            #expect(try await run("key-sign", sign)?["sub"]?.stringValue == user)
            // It is not registered under the other names, and another user's name proves nothing.
            #expect(try await biometrics.isRegistered(username: user))
            #expect(try await !biometrics.isRegistered(username: "ada"))
            #expect(try await run("key-login", typing: "bob", sign) == nil)
            // The step itself has all names.
            let full = try await run("key-register") { step in
                #expect(step.data?["user_names"] == ["ada", "ada@example.org"])
                return try await biometrics.registerNativeBiometrics(for: step).data
            }
            #expect(full?["sub"]?.stringValue == user)
            #expect(try await keys(server) == 1)
            for known in [user, "ada", "ada@example.org"] {
                #expect(try await biometrics.isRegistered(username: known))
            }
            try await biometrics.deleteNativeBiometrics(username: "ada")
            await #expect(throws: DeviceError(.biometricPrivateKeyNotFound, "")) {
                try await biometrics.authenticateNativeBiometrics(username: user, challenge: "c")
            }
        }
    }

    // MARK: The server's side

    /// Answers `register-device` as the signed-in user.
    private func answer(
        _ server: TestServer, _ access: String?, _ data: (String) throws -> [String: JSONValue]
    ) async throws -> JSONValue {
        let asked = try await server.send(
            .post, "/v1/journeys/register-device/start",
            headers: [
                "content-type": "application/json", "authorization": "Bearer \(access ?? "")",
            ], #"{"client_id": "default_application"}"#)
        let challenge = try #require(asked.body["data"]?["challenge"]?.stringValue)
        let body: JSONValue = [
            "state": asked.body["state"] ?? .null, "option": "client_input",
            "data": .object(try data(challenge)),
        ]
        return try await server.send(.post, "/v1/journeys/respond", JSONText.write(body)).body
    }

    private func publishRegisterDevice(_ server: TestServer) async throws {
        let path = Repository.root.appending(path: "Examples/Journeys/register-device.json")
        let journey = JourneyID("register-device")!
        _ = try await server.admin.putJourney(
            journey, version: 1, definition: [UInt8](Data(contentsOf: path)))
        _ = try await server.admin.publishJourney(journey, version: 1)
    }

    private static func spki(_ key: DevicePublicKey) -> JSONValue {
        .string(Data(key.spki).base64EncodedString())
    }

    @Test("the error output says whether it is the key, its ID, the limit, or the attestation")
    func errors() async throws {
        try await withServer { server in
            try await publishRegisterDevice(server)
            let access = try await TokenClient(server: server).signIn()["access_token"]
            let bobs = try await TokenClient(server: server).signIn("bob")["access_token"]
            let key = try SoftwareSigner.generate(.es256).publicKey
            func code(
                _ access: String?, _ id: String, _ key: JSONValue, _ attestation: JSONValue? = nil
            ) async throws -> String? {
                let end = try await answer(server, access) { _ in
                    var data = ["publicKeyId": .string(id), "publicKey": key, "os": "ios"]
                    data["attestation"] = attestation
                    return data
                }
                if end["token"] != nil { return nil }
                let text = try #require(end["data"]?["text"]?.stringValue)
                return try #require(text.firstMatch(of: /\((.*)\)/)).output.1.description
            }
            for wrong in ["MFkw", "not base64!", "{}", "AAAA"] as [JSONValue] {
                #expect(try await code(access, "key-of-ada-1", wrong) == "invalid_key")
            }
            let weak = try SoftwareSigner.generate(.rs256).publicKey.spki
            #expect(
                try await code(
                    access, "key-of-ada-1",
                    .string(Data(weak.dropLast()).base64EncodedString())) == "invalid_key")
            #expect(try await code(access, "short", Self.spki(key)) == "invalid_key")
            #expect(try await code(access, "key-of-ada-1", Self.spki(key)) == nil)
            #expect(try await code(bobs, "key-of-ada-1", Self.spki(key)) == "key_id_taken")
            let user = try await server.userID("ada")
            _ = try await server.admin.updateApp(
                AppID("default_application")!,
                AppRequest(name: "Sample", settings: ["biometric": ["max_keys": 1]]))
            #expect(try await code(access, "key-of-ada-2", Self.spki(key)) == "limit_reached")
            // The same ID takes the place of the old key, so the limit does not matter.
            let next = try SoftwareSigner.generate(.es256).publicKey
            #expect(try await code(access, "key-of-ada-1", Self.spki(next)) == nil)
            #expect(try await keys(server) == 1)
            try await server.askForAttestation()
            #expect(try await code(access, "key-of-ada-1", Self.spki(key)) == "attestation_refused")
            #expect(
                try await code(access, "key-of-ada-1", Self.spki(key), "o2Nm")
                    == "attestation_refused")
            _ = try await server.admin.updateApp(
                AppID("default_application")!,
                AppRequest(name: "Sample", settings: ["biometric": ["enabled": false]]))
            #expect(try await code(access, "key-of-ada-1", Self.spki(key)) == "not_allowed")
            #expect(
                try await server.admin.authenticators(of: user).contains {
                    $0.type == .known(.nativeBiometrics)
                }, "refusals changed nothing")
        }
    }

    @Test(
        "RSA keys are accepted as SubjectPublicKeyInfo and as PKCS#1, in base64 and in PEM",
        arguments: [false, true])
    func rsa(isPKCS1: Bool) async throws {
        try await withServer { server in
            try await publishRegisterDevice(server)
            let access = try await TokenClient(server: server).signIn()["access_token"]
            let signer = try SoftwareSigner.generate(.rs256), spki = signer.publicKey.spki
            // A SubjectPublicKeyInfo of 2048 bits has 24 bytes around the PKCS#1 key.
            let bytes = isPKCS1 ? Array(spki.dropFirst(24)) : spki
            let text = Data(bytes).base64EncodedString(options: [
                .lineLength64Characters, .endLineWithLineFeed,
            ])
            let label = isPKCS1 ? "RSA PUBLIC KEY" : "PUBLIC KEY"
            for (id, key) in [
                ("rsa-key-1", Data(bytes).base64EncodedString()),
                ("rsa-key-2", "-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n"),
            ] {
                let end = try await answer(server, access) { _ in
                    ["publicKeyId": .string(id), "publicKey": .string(key), "os": "ios"]
                }
                #expect(end["token"] != nil, "\(end)")
                let journey = try await server.client().start("key-login")
                for try await step in journey.steps {
                    if step.options["face"] != nil {
                        try await step.respond("face", ["user_identifier": "ada"])
                        continue
                    }
                    let challenge = try #require(step.data?["challenge"]?.stringValue)
                    let signature = try signer.sign(Array(challenge.utf8))
                    try await step.respond(
                        .clientInput,
                        [
                            "publicKeyId": .string(id),
                            "signature": .string(Data(signature).base64EncodedString()),
                        ])
                }
                guard case .success = await journey.outcome() else {
                    Issue.record("\(id) did not sign in")
                    continue
                }
            }
            // Changed bytes are no key.
            for index in [0, 5, bytes.count - 3] {
                var wrong = bytes
                wrong[index] ^= 1
                let end = try await answer(server, access) { _ in
                    [
                        "publicKeyId": "rsa-key-3", "os": "ios",
                        "publicKey": .string(Data(wrong).base64EncodedString()),
                    ]
                }
                #expect(end["token"] == nil, "byte \(index)")
            }
        }
    }

    @Test("the server accepts an attestation as the SDK returns it", arguments: [false, true])
    func attestations(isApple: Bool) async throws {
        let maker = try DeviceMaker(scratch("maker"))
        try await withServer(settings: maker.settings, time: HandClock(TestAuthority.now)) {
            server in
            try await server.askForAttestation()
            @Sendable func data(_ value: JSONValue?) throws -> [UInt8] {
                [UInt8](try #require(Data(base64Encoded: value?.stringValue ?? "")))
            }
            let pocket = Pocket { key, challenge in
                if isApple {
                    let made = try maker.apple(key, challenge)
                    return .appleAppAttest(
                        object: try data(made["object"]),
                        keyID: try #require(made["key_id"]?.stringValue))
                }
                let made = try maker.android(key, challenge)
                return .androidKey(
                    chain: try #require(made["chain"]?.arrayValue).map { try data($0) })
            }
            try await MienAuthentication.initialize(pocket.device)
            let registered = try await SwiftApp.run("key-register")
            #expect(registered.claims != nil, "\(registered.errors)")
            let key = try #require(
                try await server.admin.authenticators(of: server.userID("ada")).first {
                    $0.type == .known(.nativeBiometrics)
                })
            #expect(
                key.info["attestation"]?["format"]?.stringValue
                    == (isApple ? "apple-appattest" : "android-key"))
            let user = try await server.userID("ada").text
            #expect(try await SwiftApp.run("key-login", "ada").user == user)
        }
    }

    @Test("an App Attest object in base64, as the system returns it, is accepted as well")
    func bareObject() async throws {
        let maker = try DeviceMaker(scratch("maker"))
        try await withServer(settings: maker.settings, time: HandClock(TestAuthority.now)) {
            server in
            try await server.askForAttestation()
            try await publishRegisterDevice(server)
            let access = try await TokenClient(server: server).signIn()["access_token"]
            let key = try SoftwareSigner.generate(.es256).publicKey
            func end(_ change: (JSONValue) throws -> JSONValue?) async throws -> JSONValue {
                try await answer(server, access) { challenge in
                    let made = try maker.apple(key, challenge)
                    var data = [
                        "publicKeyId": "key-of-ada-1", "publicKey": Self.spki(key), "os": "ios",
                    ]
                    data["attestation"] = try change(made)
                    return data
                }
            }
            let cut = try await end { made in
                .string(String(try #require(made["object"]?.stringValue).dropLast(8)))
            }
            #expect(cut["token"] == nil)
            #expect(try await server.lastRefusal() == "attestation.form")
            #expect(try await end { $0["object"] }["token"] != nil)
        }
    }

    @Test("a run whose sign-in rests on a key may replace that key")
    func replacementInRun() async throws {
        try await withServer { server in
            let text = """
                {"id": "key-renew", "version": 1, "title": "Keys", "start": "form", "steps": {
                  "form": {"type": "login_form", "config": {"branches": [{"id": "face", "label": "Biometrics"}, {"id": "password"}],
                    "output_variable": "form"}, "on": {"face": "key", "password": "no"}},
                  "key": {"type": "authenticate_native_biometrics", "config": {"user_identifier": "form.user_identifier"},
                    "on": {"success": "renew", "failure": "no"}},
                  "renew": {"type": "register_native_biometrics", "config": {"failure_behavior": "abort"}, "on": {"success": "done"}},
                  "no": {"type": "reject_access"}, "done": {"type": "complete_journey"}}}
                """
            _ = try await server.admin.putJourney(
                JourneyID("key-renew")!, version: 1, definition: Array(text.utf8))
            _ = try await server.admin.publishJourney(JourneyID("key-renew")!, version: 1)
            try await MienAuthentication.initialize(Pocket().device)
            #expect(try await SwiftApp.run("key-register", "ada").claims != nil)
            let renewed = try await SwiftApp.run("key-renew")
            #expect(renewed.claims != nil, "\(renewed.errors)")
            let token = try #require(renewed.token?.use { $0 })
            let tokens = try await TokenClient(server: server).token(
                TokenClient.exchange,
                [("subject_token", token), ("subject_token_type", TokenClient.jwt)])
            #expect(tokens.status == 200, "\(tokens.body)")
            #expect(try await keys(server) == 1)
        }
    }
}
