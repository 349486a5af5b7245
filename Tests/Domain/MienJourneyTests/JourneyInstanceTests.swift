import Foundation
import MienCore
import Testing

@testable import MienJourney

/// A run and its requested effects, for tests that play every part manually.
struct Play {
    let definition: JourneyDefinition
    var run: JourneyInstance
    var now = Instant(seconds: 1_700_000_000)

    init(_ json: JSONValue) throws {
        definition = try JourneyDefinition(json)
        run = JourneyInstance(
            id: InstanceID("run_1")!, of: definition, app: AppID("app_1")!, at: now)
    }

    mutating func start(_ parameters: JSONValue = .null, user: JourneyUser? = nil) throws
        -> JourneyDecision
    {
        try run.handle(.start(parameters: parameters, user: user), in: definition, at: now)
    }

    mutating func respond(_ option: String, _ data: JSONValue = .null) throws -> JourneyDecision {
        try run.handle(.response(option: option, data: data), in: definition, at: now)
    }

    mutating func answer(_ decision: JourneyDecision, _ answer: EffectAnswer) throws
        -> JourneyDecision
    {
        let effect = try #require(decision.effect, "an effect: \(decision)")
        return try run.handle(.performed(effect.result(answer)), in: definition, at: now)
    }
}

extension JourneyDecision {
    var effect: JourneyEffect? { if case .perform(let effect) = self { effect } else { nil } }

    /// Returns what the requested effect contains if it has this type.
    func work<Content>(_ type: Content.Type) -> Content? {
        effect.flatMap { Mirror(reflecting: $0.work).children.first?.value as? Content }
    }

    var prompt: ClientPrompt? { if case .ask(let prompt) = self { prompt } else { nil } }
    var completion: Completion? {
        if case .complete(let completion) = self { completion } else { nil }
    }
    var rejection: Rejection? { if case .reject(let rejection) = self { rejection } else { nil } }
}

enum Made {
    static let ada = UserID("usr_ada")!, bob = UserID("usr_bob")!
    static let capture = CaptureID("cap_1")!, otherCapture = CaptureID("cap_2")!

    static let faceLogin: JSONValue = [
        "id": "face-login", "version": 1, "title": "Log in", "start": "form",
        "steps": [
            "form": [
                "type": "login_form",
                "config": [
                    "branches": [["id": "face"], ["id": "password"]], "output_variable": "form",
                ],
                "on": ["face": "selfie", "password": "check"],
            ],
            "selfie": [
                "type": "selfie_acquisition", "config": ["output_variable": "selfie"],
                "on": ["success": "face", "failure": "form"],
            ],
            "face": [
                "type": "authenticate_face",
                "config": [
                    "user_identifier": "form.user_identifier", "error_output_variable": "error",
                ],
                "on": ["success": "done", "failure": "form"],
            ],
            "check": [
                "type": "authenticate_password",
                "config": ["username": "form.username", "password": "form.password"],
                "on": ["success": "done", "failure": "form"],
            ],
            "done": ["type": "complete_journey", "config": ["claims": ["level": "user.level"]]],
        ],
    ]
}

@Suite("A run of a journey")
struct JourneyInstanceTests {
    @Test("a face login, step by step")
    func faceLogin() throws {
        var play = try Play(Made.faceLogin)
        let form = try #require(try play.start().prompt)
        #expect(form.journeyStepID == "loginForm")
        #expect(form.options.map(\.id) == ["face", "password", "cancel"])

        let opening = try play.respond("face", ["user_identifier": "ada"])
        guard let request = opening.work(CaptureRequest.self) else {
            throw Unexpected(opening)
        }
        #expect(
            request.purpose == .authentication && request.liveness.mode == nil
                && request.user == .identifier(Sensitive("ada")),
            "the user whose face it will be compared with")

        let selfie = try #require(
            try play.answer(opening, .captureOpened(Made.capture, startToken: "token")).prompt)
        #expect(
            selfie.journeyStepID == "selfieAcquisition" && selfie.data == ["start_token": "token"])
        #expect(selfie.options.map(\.id) == ["client_input", "fail", "cancel"])

        let reading = try play.respond("clientInput")
        #expect(reading.effect?.work == .readCapture(Made.capture))
        let comparing = try play.answer(reading, .captured(Made.capture, summary: ["quality": 80]))
        #expect(
            comparing.effect?.work
                == .authenticateFace(
                    AuthenticateFaceEffect(
                        user: .identifier(Sensitive("ada")), capture: Made.capture)))

        let end = try play.answer(
            comparing, .faceAuthenticated(Made.ada, capture: Made.capture, amr: ["face"]))
        let completion = try #require(end.completion)
        #expect(
            completion.signedInUser == Made.ada && completion.user?.amr == ["face"]
                && completion.claims == ["level": "authenticated"])
        #expect(play.run.hasEnded)
        #expect(throws: JourneyClientError.noActiveJourney) { try play.respond("cancel") }
    }

    struct Unexpected: Error {
        let decision: JourneyDecision
        init(_ decision: JourneyDecision) { self.decision = decision }
    }
}
