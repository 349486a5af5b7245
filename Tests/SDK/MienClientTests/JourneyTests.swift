import Foundation
import MienAPI
import MienCore
import Testing

@testable import MienClient
@testable import MienJourney

@Suite("Journeys")
struct JourneyTests {
    @Test("a start sends the right request and stores the device token for the next time")
    func start() async throws {
        let transport = ScriptedTransport([
            .json(JourneyAnswer.step("loginForm")),
            .json(JourneyAnswer.success(deviceToken: "dev_1.first")),
            .json(JourneyAnswer.step("loginForm")),
        ])
        var options = options(transport)
        (options.resource, options.clientSecret) = ("https://api.example", Sensitive("app.secret"))
        let client = try JourneyClient(options, sleep: Naps().sleep)
        let journey = try await client.start(
            "face-login", .init(additionalParams: ["tier": "gold"], flowId: "f-1"))
        #expect(transport.requests[0].url == "https://login.example/v1/journeys/face-login/start")
        let first: StartJourneyRequest = try body(transport.requests[0])
        #expect(
            first
                == StartJourneyRequest(
                    clientID: "shop", clientSecret: "app.secret",
                    additionalParams: ["tier": "gold", "resource": "https://api.example"],
                    flowID: "f-1"
                ))
        try await journey.respond("face", ["user_identifier": "ada"])
        let answer: RespondRequest = try body(transport.requests[1])
        #expect(
            answer
                == RespondRequest(
                    state: "run_1.a", option: "face", data: ["user_identifier": "ada"]))
        _ = try await client.start("face-login")
        #expect(
            try body(transport.requests[2], as: StartJourneyRequest.self).deviceToken
                == "dev_1.first")
    }

    @Test(
        "ids that would change the URL are escaped or refused",
        arguments: [("a/b", "a%2Fb"), ("a?b#c", "a%3Fb%23c"), ("ä", "%C3%A4")])
    func escaped(_ id: String, _ segment: String) async throws {
        let transport = ScriptedTransport([.problem(.notFound)])
        let client = try JourneyClient(options(transport), sleep: Naps().sleep)
        await #expect(throws: MienError(.serverError, "")) { try await client.start(id) }
        #expect(
            transport.requests.map(\.url) == ["https://login.example/v1/journeys/\(segment)/start"])
        for id in ["", ".", ".."] {
            await #expect(throws: MienError(.serverError, "")) { try await client.start(id) }
        }
        #expect(transport.requests.count == 1)
    }

    @Test(
        "the sequence starts at the current step, waits for answers from elsewhere, and ends with the journey"
    )
    func sequence() async throws {
        let transport = ScriptedTransport([
            .json(JourneyAnswer.step("information", state: "s1")),
            .json(JourneyAnswer.step("recordConsent", state: "s2")),
            .json(JourneyAnswer.rejection),
        ])
        let journey = try await JourneyClient(options(transport), sleep: Naps().sleep).start("j")
        let watcher = Task { () -> [JourneyStepID] in
            var seen: [JourneyStepID] = []
            for try await step in journey.steps { seen.append(step.id) }
            return seen
        }
        for try await step in journey.steps {
            if step.id == .recordConsent { break }
            try await step.respond()
        }
        var late = journey.steps.makeAsyncIterator()
        let step = try #require(try await late.next())
        #expect(step.id == .recordConsent)
        try await step.respond()
        #expect(try await late.next() == nil)
        await #expect(throws: MienError(.noActiveJourney, "")) { try await journey.respond() }
        #expect(
            [[.information, .recordConsent], [.recordConsent], []].contains(try await watcher.value)
        )
        guard case .rejection(let data) = await journey.outcome() else {
            return #expect(Bool(false), "not rejected")
        }
        #expect(data["reason"] == "invalid_credentials")
        let last = await journey.response
        #expect(last.errorCode == .invalidCredentials)
        #expect(last.type == .journeyRejection)
    }

    @Test("a loop that waits for an answer ends when it is canceled or the journey is lost")
    func waiting() async throws {
        let transport = ScriptedTransport([
            .json(JourneyAnswer.step("information")), .problem(.noActiveJourney),
        ])
        let journey = try await JourneyClient(options(transport), sleep: Naps().sleep).start("j")
        func loop() -> Task<Void, any Error> { Task { for try await _ in journey.steps {} } }
        let cancelled = loop(), lost = loop()
        try await Task.sleep(for: .milliseconds(20))
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        await #expect(throws: MienError(.noActiveJourney, "")) { try await journey.respond() }
        await #expect(throws: MienError(.noActiveJourney, "")) { try await lost.value }
    }

    @Test("a saved journey resumes at its step and contains no earlier answers")
    func saved() async throws {
        let transport = ScriptedTransport([
            .json(JourneyAnswer.step("loginForm", state: "s1")),
            .json(
                JourneyAnswer.step(
                    "identityVerification", state: "s2", data: ["payload": ["start_token": "cap"]])),
            .json(JourneyAnswer.success()),
        ])
        let client = try JourneyClient(options(transport), sleep: Naps().sleep)
        let journey = try await client.start("face-registration")
        try await journey.respond("password", ["username": "ada", "password": "correct horse"])
        let text = try await journey.serializeState()
        let plain = String(decoding: try #require(Base64URL.decode(text)), as: UTF8.self)
        #expect(plain.contains("s2") && !plain.contains("correct horse"))
        let restored = try client.restore(text)
        #expect(await restored.response.journeyStepId == .identityVerification)
        #expect(await restored.response.startToken?.use { $0 } == "cap")
        #expect(try await restored.respond().hasEnded)
        #expect(try body(transport.requests[2], as: RespondRequest.self).state == "s2")
        await #expect(throws: MienError(.noActiveJourney, "")) {
            try await restored.serializeState()
        }

        var other = options(transport)
        other.applicationId = "bank"
        let bank = try JourneyClient(other)
        for (index, wrong) in [
            text.dropLast(4) + "", "", "{}", "AAAA", Base64URL.encode(Array("{}".utf8)),
        ].enumerated() {
            #expect(throws: MienError(.invalidState, ""), "\(index)") {
                try client.restore(String(wrong))
            }
        }
        #expect(throws: MienError(.invalidState, "")) { try bank.restore(text) }
    }

    @Test("every spelling that the server knows maps to one step")
    func aliases() {
        for name in JourneyStepName.allCases {
            #expect(JourneyStepID(name.rawValue).rawValue == name.rawValue)
            for other in name.aliases {
                #expect(JourneyStepID(other) == JourneyStepID(name.rawValue), "\(other)")
            }
        }
        for kind in ClientOptionType.allCases {
            for id in [kind.rawValue] + kind.aliases where kind != .custom {
                #expect(ClientResponseOptionType(id).type == kind.rawValue)
            }
        }
        #expect(JourneyStepID("nativeBiometricsAuthenticaton") == .nativeBiometricsAuthentication)
        #expect(JourneyStepID("nativeBiometricsRegistration") == .registerNativeBiometrics)
        #expect(JourneyStepID("somethingNew").rawValue == "somethingNew")
        #expect(ClientResponseOptionType("use_password") == .custom("use_password"))
    }

    @Test("options are found in any spelling")
    func optionsByMeaning() {
        let answer = JourneyAnswer.step(
            "selfieAcquisition", data: ["start_token": "cap"],
            options: [
                "clientInput": "client_input", "action_failure": "fail", "use_password": "custom",
            ])
        let response = MienServiceResponse(answer)
        #expect(
            response.option(.fail) != nil && response.option(.clientInput) != nil
                && response.option(.cancel) == nil)
        #expect(response.option("use_password")?.id == .custom("use_password"))
        #expect(response.startToken?.use { $0 } == "cap")
        #expect(response.type == .clientInputRequired)
    }

    @Test("an expired or wrong code has the SDKs' error code")
    func codes() async throws {
        let transport = ScriptedTransport([
            .json(JourneyAnswer.step("emailOTPAuthentication")),
            .json(
                JourneyAnswer.step("emailOTPAuthentication", data: ["error": ["code": "expired"]])),
            .json(
                JourneyAnswer.step(
                    "emailOTPAuthentication", data: ["error": ["code": "wrong_code"]])),
        ])
        let journey = try await JourneyClient(options(transport), sleep: Naps().sleep).start("j")
        #expect(await journey.response.errorCode == nil)
        let late = try await journey.respond(.clientInput, ["passcode": "123456"])
        #expect(late.errorCode == .expiredOTPPasscode)
        #expect(late.type == .clientInputUpdateRequired)
        #expect(
            try await journey.respond(.clientInput, ["passcode": "000000"]).errorCode
                == .invalidCredentials)
    }

    @Test("nothing secret is printed")
    func printed() async throws {
        let secrets = [
            "final.token.jwt", "dev_1.secret", "correct horse", "run_1.a", "cap.token",
            "adm.secret",
        ]
        let response = MienServiceResponse(
            .step("selfieAcquisition", data: ["start_token": "cap.token"]))
        let ended = MienServiceResponse(.success(deviceToken: "dev_1.secret"))
        let request = HTTPTransportRequest(
            method: .post, url: "https://login.example",
            headers: ["authorization": "Bearer adm.secret"], body: Array("correct horse".utf8))
        let answer = HTTPTransportResponse(status: 200, body: Array("final.token.jwt".utf8))
        let start = StartJourneyOptions(flowId: "f")
        for value in [response, ended, request, answer, start, CaptureFrame([1, 2, 3])] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for secret in secrets {
                #expect(!"\(value)\(String(reflecting: value))\(dumped)".contains(secret))
            }
        }
    }
}

@Suite("Errors")
struct ErrorTests {
    @Test("every problem has an error code", arguments: ProblemCode.allCases)
    func mapping(_ code: ProblemCode) async throws {
        let expected: MienError.Code =
            switch code {
            case .invalidCredentials: .invalidCredentials
            case .insufficientUserAuthentication: .reauthenticationRequired
            case .noActiveJourney: .noActiveJourney
            case .invalidState, .captureClosed, .liveCaptureRequired, .frameOutOfOrder,
                .consentRequired, .captureReplaced, .verificationRefused:
                .invalidState
            case .clientResponseNotValid, .payloadTooLarge, .unsupportedMediaType,
                .imageNotAccepted:
                .clientResponseNotValid
            default: .serverError
            }
        var options = options(ScriptedTransport([.problem(code, "why")]))
        options.retry = .none
        do {
            _ = try await JourneyClient(options).start("j")
            #expect(Bool(false), "no error")
        } catch let error as MienError {
            #expect(error.code == expected)
            #expect(error.problem?.code == code)
            #expect(error.reason == "why")
        }
    }

    @Test("the error codes are those of the SDKs that apps migrate from")
    func words() {
        #expect(
            MienError.Code.allCases.map(\.rawValue) == [
                "invalid_initialization_options", "not_initialized", "no_active_journey",
                "network_error", "client_response_not_valid",
                "server_error",
                "invalid_state", "invalid_credentials", "expired_otp_passcode",
                "unauthenticated_user", "oauth_error", "reauthentication_required",
            ])
    }

    @Test(
        "malformed responses are server errors",
        arguments: [(200, "<html>"), (200, "{}"), (200, ""), (500, "oops"), (404, ""), (302, "")])
    func nonsense(_ status: Int, _ text: String) async throws {
        let transport = ScriptedTransport([
            .answer(HTTPTransportResponse(status: status, body: Array(text.utf8)))
        ])
        let client = try JourneyClient(options(transport), sleep: Naps().sleep)
        await #expect(throws: MienError(.serverError, "")) { try await client.start("j") }
        #expect(transport.requests.count == 1)
    }

    @Test("a response that is too large is not requested again")
    func large() async throws {
        let transport = ScriptedTransport([
            .fault(.answerTooLarge),
            .answer(
                HTTPTransportResponse(
                    status: 200, body: [UInt8](repeating: 0x20, count: (1 << 20) + 1))),
        ])
        let client = try JourneyClient(options(transport), sleep: Naps().sleep)
        for count in 1...2 {
            await #expect(throws: MienError(.serverError, "")) { try await client.start("j") }
            #expect(transport.requests.count == count)
        }
        #expect(transport.requests[0].maxAnswerBytes == 1 << 20)
    }

    @Test(
        "addresses",
        arguments: [
            ("https://login.example", true), ("https://login.example/mien/", true),
            ("http://localhost:8080", true), ("http://127.0.0.1", true),
            ("http://[::1]:80", true), ("HTTPS://Login.Example", true),
            ("http://login.example", false), ("http://localhost.evil.example", false),
            ("http://127.0.0.1@evil.example", false), ("ftp://login.example", false),
            ("login.example", false), ("https://", false),
            ("https://a:b", false), ("https://a:99999", false), ("https://a?b", false),
            ("https://a#b", false), ("https://a b", false),
            ("https://[::1", false), ("https://a/\r\nx: y", false), ("", false),
        ])
    func addresses(_ text: String, _ isGood: Bool) {
        #expect(((try? ServerAddress(text)) != nil) == isGood)
        if isGood { #expect(throws: Never.self) { try ServerAddress(text, allowsPlainHTTP: true) } }
    }

    @Test("plain HTTP to other machines needs permission")
    func plain() throws {
        #expect(
            try ServerAddress("http://login.example", allowsPlainHTTP: true).text
                == "http://login.example")
        #expect(
            try ServerAddress("https://login.example/mien/").text == "https://login.example/mien")
        #expect(throws: MienError(.invalidInitializationOptions, "")) {
            try JourneyClient(MienOptions(serverPath: "http://login.example"))
        }
        #expect(throws: MienError(.invalidInitializationOptions, "")) {
            try JourneyClient(MienOptions(serverPath: "https://login.example", applicationId: ""))
        }
    }
}
