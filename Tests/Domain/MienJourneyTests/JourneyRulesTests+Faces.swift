import Foundation
import MienCore
import Testing

@testable import MienJourney

/// Rules for faces, verifications, and device keys.
extension JourneyRulesTests {
    private func registration(_ consent: JSONValue, user: JSONValue = [:]) -> JSONValue {
        let config: JSONValue = .object(
            ["consent": consent].merging(user.objectValue ?? [:]) { $1 })
        return journey([
            "first": [
                "type": "selfie_acquisition",
                "config": ["failure_behavior": "abort", "purpose": "registration"],
                "on": ["success": "register"],
            ],
            "register": [
                "type": "register_face", "config": config,
                "on": ["success": "again", "failure": "refused"],
            ],
            "again": [
                "type": "register_face", "config": config,
                "on": ["success": "done", "failure": "refused"],
            ], "done": Self.done,
            "refused": Self.refused,
        ])
    }

    private func afterSelfie(_ definition: JSONValue, _ user: JourneyUser?) throws -> (
        Play, JourneyDecision
    ) {
        var play = try Play(definition)
        let opening = try play.start(user: user)
        _ = try play.answer(opening, .captureOpened(Made.capture, startToken: "t"))
        let reading = try play.respond("client_input")
        let next = try play.answer(reading, .captured(Made.capture, summary: [:]))
        return (play, next)
    }

    @Test("a face is registered only for a user, with consent, and from an unused capture")
    func registration() throws {
        let ada = JourneyUser(id: Made.ada, level: .authenticated)
        let given: JSONValue = ["text_version": "1", "given": "true"]
        for user in [
            nil, JourneyUser(id: Made.ada, level: .identified),
            JourneyUser(id: Made.ada, level: .established),
        ] {
            #expect(try afterSelfie(registration(given), user).1.rejection != nil)
        }
        #expect(
            try afterSelfie(registration(["text_version": "1"]), ada).1.rejection != nil,
            "the capture asked, and nobody consented")
        #expect(
            try afterSelfie(registration(["text_version": "1", "given": "1 > 2"]), ada).1.rejection
                != nil, "consent was not given")
        #expect(
            try afterSelfie(registration(["text_version": "1", "given": "missing"]), ada).1
                .rejection != nil, "nobody knows")

        var (play, consenting) = try afterSelfie(registration(given), ada)
        #expect(
            consenting.effect?.work
                == .recordConsent(
                    RecordConsentEffect(
                        user: Made.ada, text: ConsentText(version: "1", text: nil))))
        let registering = try play.answer(consenting, .done)
        #expect(
            registering.effect?.work
                == .registerFace(
                    RegisterFaceEffect(
                        user: Made.ada, capture: Made.capture, consentTextVersion: "1")))
        #expect(throws: JourneyClientError.invalidState) {
            try play.answer(registering, .faceRegistered(Made.bob, capture: Made.capture))
        }
        #expect(throws: JourneyClientError.invalidState) {
            try play.answer(registering, .faceRegistered(Made.ada, capture: Made.otherCapture))
        }
        #expect(
            try play.answer(registering, .faceRegistered(Made.ada, capture: Made.capture)).rejection
                != nil, "the capture is already used")

        for (answer, isRefused) in [(true, false), (false, true)] {
            var (play, finding) = try afterSelfie(
                registration(["text_version": "1", "earlier": true]), ada)
            #expect(
                finding.effect?.work
                    == .findConsent(FindConsentEffect(user: Made.ada, textVersion: "1")))
            #expect((try play.answer(finding, .consent(answer)).rejection != nil) == isRefused)
        }
        let established = JourneyUser(id: Made.ada, level: .established)
        #expect(
            try afterSelfie(
                registration(given, user: ["user_auth_state": "established"]), established
            ).1.effect != nil)
    }

    @Test("one selfie is compared with one user only, whatever the result")
    func captureOnce() throws {
        let face: (String) -> JSONValue = {
            [
                "type": "authenticate_face", "config": ["user_identifier": "'ada'"],
                "on": ["success": "done", "failure": .string($0)],
            ]
        }
        var (play, comparing) = try afterSelfie(
            journey([
                "first": [
                    "type": "selfie_acquisition", "config": ["failure_behavior": "abort"],
                    "on": ["success": "face"],
                ], "face": face("other"),
                "other": face("refused"), "done": Self.done, "refused": Self.refused,
            ]), nil)
        #expect(
            try play.answer(comparing, .refused(.invalidCredentials)).rejection?.cause == .rejected)
        #expect(play.run.transitions.map(\.outcome) == [.failure, .failure])
    }

    private func verification(_ config: [String: JSONValue]) -> JSONValue {
        journey([
            "first": [
                "type": "identity_verification",
                "config": .object(config.merging(["output_variable": "v"]) { $1 }),
                "on": [
                    "allow": "done", "challenge": "more", "deny": "refused", "failure": "refused",
                ],
            ], "more": ["type": "reject_access", "config": ["reason": "more"]],
            "done": ["type": "complete_journey", "config": ["user_auth_state": "none"]],
            "refused": Self.refused,
        ])
    }

    private static let session = VerificationSession(
        id: VerificationID("idv_1")!, startToken: "t", baseEndpoint: "https://b", state: "s")

    /// Runs a verification up to the decision on its verdict.
    private func verified(_ config: [String: JSONValue], _ verdict: VerificationVerdict) throws -> (
        Play, JourneyDecision
    ) {
        var play = try Play(verification(config))
        let opening = try play.start()
        let prompt = try #require(
            try play.answer(opening, .verificationOpened(Self.session)).prompt)
        #expect(
            prompt.data == [
                "payload": [
                    "start_token": "t", "base_endpoint": "https://b", "session": "idv_1",
                    "state": "s",
                ]
            ], "no endpoint, because there is no page to open")
        let reading = try play.respond(
            "client_input", ["payload": ["sessionId": "idv_1", "state": "s"]])
        let end = try play.answer(reading, .verified(verdict))
        return (play, end)
    }

    @Test("each recommendation of an identity verification has its outcome")
    func verification() throws {
        let id = Self.session.id
        var play = try Play(verification(["documents": "none"]))
        let opening = try play.start()
        _ = try play.answer(opening, .verificationOpened(Self.session))
        let error = #expect(throws: JourneyClientError.self) {
            try play.respond("client_input", ["payload": ["sessionId": "idv_2"]])
        }
        #expect(error?.problems.first?.field == "sessionId")
        let reading = try play.respond(
            "client_input", ["payload": ["sessionId": "idv_1", "state": "s"]])
        #expect(
            reading.effect?.work
                == .readVerification(
                    ReadVerificationEffect(
                        session: Self.session, state: Sensitive("s"), callbackURL: nil)))
        #expect(throws: JourneyClientError.invalidState) {
            try play.answer(
                reading,
                .verified(
                    VerificationVerdict(session: VerificationID("idv_2")!, recommendation: .allow)))
        }
        func result(_ recommendation: VerificationVerdict.Recommendation) throws
            -> JourneyDecision
        {
            try verified(
                ["documents": "none"],
                VerificationVerdict(
                    session: id, recommendation: recommendation, capture: Made.capture)
            ).1
        }
        #expect(try result(.allow).completion != nil)
        #expect(try result(.challenge).rejection?.reason == "more")
        #expect(try result(.deny).rejection?.reason == "access_denied")
    }

    @Test("a verification that needs a document allows only if one was checked")
    func uncheckedDocuments() throws {
        let verdict = VerificationVerdict(
            session: Self.session.id, recommendation: .allow, capture: Made.capture)
        let (play, end) = try verified([:], verdict)
        #expect(end.rejection?.reason == "more" && play.run.capture == nil)
        let checked = VerificationVerdict(
            session: Self.session.id, recommendation: .allow, capture: Made.capture,
            checkedDocument: true)
        #expect(try verified([:], checked).1.completion != nil)
        for (config, needsDocument) in [([:], true), (["documents": "none"], false)]
            as [([String: JSONValue], Bool)]
        {
            var play = try Play(verification(config))
            let opening = try play.start()
            let request = opening.work(VerificationRequest.self)
            #expect(request?.needsDocument == needsDocument)
        }
        let definition = try JourneyDefinition(verification([:]))
        for (checksDocuments, found) in [(nil, .warning), (false, .error), (true, nil)]
            as [(Bool?, LintFinding.Severity?)]
        {
            let findings = JourneyLinter.lint(definition, checksDocuments: checksDocuments)
            #expect(findings.map(\.severity) == [found].compactMap(\.self))
            #expect(findings.allSatisfy { $0.code == .documentsUnchecked })
        }
        #expect(
            try JourneyLinter.lint(JourneyDefinition(verification(["documents": "none"]))) == [])
        #expect(throws: JourneyDefinitionError.self) {
            try JourneyDefinition(verification(["documents": "passport"]))
        }
    }

    @Test(
        "a verification establishes the user by comparing the selfie with their registered face, or fails as a face sign-in does"
    )
    func establishing() throws {
        let config: [String: JSONValue] = [
            "documents": "none", "user_identifier": "'ada'", "establishes_user": true,
        ]
        #expect(try JourneyLinter.lint(JourneyDefinition(verification(config))) == [])
        let verdict = VerificationVerdict(
            session: Self.session.id, recommendation: .allow, capture: Made.capture)
        var (play, comparing) = try verified(config, verdict)
        #expect(
            comparing.effect?.work
                == .authenticateFace(
                    AuthenticateFaceEffect(
                        user: .identifier(Sensitive("ada")), capture: Made.capture)))
        let end = try play.answer(
            comparing, .faceAuthenticated(Made.ada, capture: Made.capture, amr: ["face"]))
        #expect(end.completion?.user?.id == Made.ada)
        #expect(end.completion?.user?.level == .established && end.completion?.signedInUser == nil)

        for code in [StepErrorCode.invalidCredentials, .locked, .notRegistered, .captureMissing] {
            (play, comparing) = try verified(config, verdict)
            #expect(try play.answer(comparing, .refused(code)).rejection?.reason == "access_denied")
            #expect(play.run.user == nil)
        }
        let open = try verified(
            config, VerificationVerdict(session: Self.session.id, recommendation: .allow)
        ).1
        #expect(open.rejection != nil, "no selfie, so nothing shows who it was")
        #expect(
            try verified(config.filter { $0.key != "documents" }, verdict).1.rejection?.reason
                == "more")
        #expect(
            try JourneyLinter.lint(
                JourneyDefinition(
                    verification(["documents": "none", "establishes_user": true]))
            ).map(\.code) == [.userMissing], "nobody is named")
    }

    @Test("a selfie that a later step compares is expected to show the user whom that step names")
    func expectedFace() throws {
        func request(_ own: [String: JSONValue], compared: Bool) throws -> VerificationRequest {
            let config: [String: JSONValue] = ["documents": "none", "failure_behavior": "abort"]
            var play = try Play(
                journey([
                    "first": [
                        "type": "identity_verification",
                        "config": .object(config.merging(own) { $1 }),
                        "on": [
                            "allow": compared ? "compare" : "done", "challenge": "refused",
                            "deny": "refused",
                        ],
                    ],
                    "compare": [
                        "type": "authenticate_face",
                        "config": ["user_identifier": "'ada'", "failure_behavior": "abort"],
                        "on": ["success": "done"],
                    ],
                    "done": ["type": "complete_journey", "config": ["user_auth_state": "none"]],
                    "refused": Self.refused,
                ]))
            return try #require(try play.start().work(VerificationRequest.self))
        }
        let compared = try request([:], compared: true)
        #expect(compared.isCompared && compared.user == .identifier(Sensitive("ada")))
        let named = try request(["user_identifier": "'bob'"], compared: true)
        #expect(named.user == .identifier(Sensitive("bob")), "the step's own setting comes first")
        let alone = try request([:], compared: false)
        #expect(!alone.isCompared && alone.user == nil)
    }

    @Test(
        "a capture whose selfie is stored is taken for registration, and asks for missing consent")
    func captureAsksForConsent() throws {
        func definition(_ register: JSONValue, _ before: [String: JSONValue] = [:]) -> JSONValue {
            journey(
                .object(
                    before.merging([
                        "first": [
                            "type": "selfie_acquisition", "config": ["failure_behavior": "abort"],
                            "on": ["success": "register"],
                        ],
                        "register": [
                            "type": "register_face", "config": register,
                            "on": ["success": "done", "failure": "refused"],
                        ], "done": Self.done, "refused": Self.refused,
                    ]) { $1 }), start: before.keys.first ?? "first",
                extra: ["requires_user": true])
        }
        let ada = JourneyUser(id: Made.ada, level: .authenticated)
        #expect(try JourneyLinter.lint(JourneyDefinition(definition([:]))) == [])
        var play = try Play(definition([:]))
        let opening = try play.start(user: ada)
        let request = try #require(opening.work(CaptureRequest.self))
        #expect(request.purpose == .registration)
        let asked = try #require(request.consent)
        #expect(asked.textVersion == "standard-1" && asked.text.contains("withdraw"))
        _ = try play.answer(opening, .captureOpened(Made.capture, startToken: "t"))
        let reading = try play.respond("client_input")
        let consenting = try play.answer(
            reading, .captured(Made.capture, summary: [:], consentTextVersion: "standard-1"))
        #expect(
            consenting.effect?.work
                == .recordConsent(
                    RecordConsentEffect(
                        user: Made.ada, text: ConsentText(version: "standard-1", text: asked.text)))
        )
        let registering = try play.answer(consenting, .done)
        #expect(
            registering.effect?.work
                == .registerFace(
                    RegisterFaceEffect(
                        user: Made.ada, capture: Made.capture, consentTextVersion: "standard-1")))

        func asks(_ definition: JSONValue) throws -> CaptureConsent? {
            var play = try Play(definition)
            var decision = try play.start(user: ada)
            if decision.prompt != nil {
                decision = try play.respond("client_input")
                decision = try play.answer(decision, .done)
            }
            return try #require(decision.work(CaptureRequest.self)).consent
        }
        let own: JSONValue = [
            "consent": ["text_version": "2", "title": "T", "text": "Words", "button": "Yes"]
        ]
        #expect(
            try asks(definition(own))
                == CaptureConsent(textVersion: "2", title: "T", text: "Words", button: "Yes"))
        #expect(try asks(definition(["consent": ["text_version": "2", "earlier": true]])) == nil)
        #expect(try asks(definition(["consent": ["text_version": "2", "given": "true"]])) == nil)
        func consent(_ version: JSONValue) -> [String: JSONValue] {
            [
                "consent": [
                    "type": "record_consent",
                    "config": ["text_version": version, "text": "?", "failure_behavior": "abort"],
                    "on": ["success": "first"],
                ]
            ]
        }
        #expect(try asks(definition(own, consent("2"))) == nil, "an earlier step obtained it")
        #expect(try asks(definition(own, consent("1")))?.textVersion == "2", "to another text")
    }

    @Test("only data that the user signed on a device becomes a claim")
    func transaction() throws {
        let definition = journey([
            "first": [
                "type": "transaction_signing_native_biometrics",
                "config": [
                    "user_identifier": "'ada'",
                    "approval_data": ["amount": "string(parameters.amount)", "to": "'bob'"],
                ],
                "on": ["success": "done", "failure": "refused"],
            ], "done": ["type": "complete_journey"], "refused": Self.refused,
        ])
        let challenge = ChallengeID("chl_1")!
        var play = try Play(definition)
        let challenging = try play.start(["amount": 12])
        #expect(
            challenging.effect?.work
                == .challengeDeviceKey(
                    ChallengeDeviceKeyEffect(
                        user: .identifier(Sensitive("ada")),
                        purpose: .transaction(approvalData: ["amount": "12", "to": "bob"]))))
        let prompt = try #require(
            try play.answer(challenging, .deviceChallenge(challenge, challenge: "c")).prompt)
        #expect(
            prompt.data == [
                "challenge": "c", "transaction_challenge": "c", "user_identifier": "ada",
                "approval_data": ["amount": "12", "to": "bob"],
            ])
        let verifying = try play.respond("client_input", ["publicKeyId": "k", "signature": "sig"])
        let proof = try #require(verifying.work(VerifyDeviceKeyEffect.self)).proof
        #expect(
            proof.challenge == challenge
                && proof.purpose == .transaction(approvalData: ["amount": "12", "to": "bob"]))
        let end = try play.answer(verifying, .authenticated(Made.ada, amr: ["hwk"]))
        #expect(
            end.completion?.approvalData == ["amount": "12", "to": "bob"]
                && end.completion?.signedInUser == Made.ada)

        var bad = try Play(definition)
        #expect(
            try bad.start(["amount": "12 €"]).rejection != nil,
            "values may contain only a few characters")
        #expect(throws: JourneyClientError.self) {
            try Play(definition).run.handled(
                .start(parameters: "12"), JourneyDefinition(definition))
        }
    }

    @Test(
        "a device that registers a key gets a challenge for its attestation, and the performer receives both"
    )
    func deviceKeyRegistration() throws {
        let definition = journey([
            "first": [
                "type": "register_native_biometrics",
                "config": ["user_auth_state": "identifier", "user_identifier": "'ada'"],
                "on": ["success": "done", "failure": "refused"],
            ], "done": ["type": "complete_journey"], "refused": Self.refused,
        ])
        let challenge = ChallengeID("chl_1")!
        var play = try Play(definition)
        let resolving = try play.start(user: JourneyUser(id: Made.ada, level: .authenticated))
        #expect(resolving.effect?.work == .resolveUser(Sensitive("ada")))
        let challenging = try play.answer(resolving, .user(Made.ada))
        #expect(
            challenging.effect?.work
                == .challengeDeviceKey(
                    ChallengeDeviceKeyEffect(user: .id(Made.ada), purpose: .registration)))
        let prompt = try #require(
            try play.answer(challenging, .deviceChallenge(challenge, challenge: "c")).prompt)
        #expect(prompt.data == ["challenge": "c", "user_identifier": .string(Made.ada.text)])
        let registering = try play.respond(
            "client_input", ["publicKey": "p", "publicKeyId": "k", "os": "ios", "attestation": "a"])
        let key = DeviceKeyRegistration(
            publicKey: "p", publicKeyID: "k", os: "ios", challenge: challenge, attestation: "a")
        #expect(
            registering.effect?.work
                == .registerDeviceKey(RegisterDeviceKeyEffect(user: Made.ada, key: key)))
        #expect(
            try play.answer(registering, .deviceKeyRegistered(Made.ada, publicKeyID: "k"))
                .completion?.user?.id == Made.ada)
    }
}
