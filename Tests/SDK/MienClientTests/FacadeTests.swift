import MienAPI
import MienCore
import Testing

@testable import MienClient

/// The code of the journey guides, with our names.
@MainActor
private final class ViewController: MienDelegate {
    var steps: [JourneyStepID] = []
    var errors: [MienError.Code] = []
    var onEnd: CheckedContinuation<Void, Never>?

    func mienDidReceiveResult(_ result: Result<MienServiceResponse, MienError>) {
        switch result {
        case .success(let response):
            guard let stepId = response.journeyStepId else { return }
            steps.append(stepId)
            switch response.journeyStepId {
            case .selfieAcquisition:
                guard let startToken = response.data?["start_token"]?.stringValue else { return }
                MienIdentityVerification.delegate = self
                try? MienIdentityVerification.start(startToken: startToken, frames: frames)
            case .identityVerification:
                guard let payload = response.data?["payload"],
                    payload["start_token"]?.stringValue != nil
                else { return }
                try? Mien.submitClientResponse(clientResponseOptionId: .clientInput)
            case .success, .rejection: end()
            default:
                try? Mien.submitClientResponse(
                    clientResponseOptionId: "face", data: ["user_identifier": "ada"])
            }
        case .failure(let error):
            errors.append(error.code)
            end()
        }
    }

    private var frames: AsyncStream<CaptureFrame> {
        AsyncStream { stream in
            stream.yield(CaptureFrame([0xff, 0xd8]))
            stream.finish()
        }
    }

    private func end() {
        onEnd?.resume()
        onEnd = nil
    }
}

extension ViewController: MienIdentityVerificationDelegate {
    func verificationDidComplete() {
        try? Mien.submitClientResponse(clientResponseOptionId: .clientInput)
    }
    func verificationDidCancel() { try? Mien.submitClientResponse(clientResponseOptionId: .cancel) }
    func verificationDidFail(with error: MienError) {
        try? Mien.submitClientResponse(clientResponseOptionId: .fail)
    }
}

@Suite("The form of mobile apps", .serialized)
@MainActor
struct FacadeTests {
    private func begin(_ turns: ScriptedTransport.Turn...) throws -> ScriptedTransport {
        let transport = ScriptedTransport(turns)
        try Mien.initialize(options(transport))
        return transport
    }

    @Test("a journey with a delegate, as in the guides", arguments: [true, false])
    func delegate(_ passes: Bool) async throws {
        let transport = try begin(
            .json(JourneyAnswer.step("loginForm", state: "s1")),
            .json(
                JourneyAnswer.step(
                    "selfieAcquisition", state: "s2", data: ["start_token": "cap_1.s"])),
            .json(CaptureAnswer.pictures),
            .json(CaptureAnswer.ended(passes ? .passed : .failed, 59)),
            .json(passes ? JourneyAnswer.success() : JourneyAnswer.rejection))
        let controller = ViewController()
        Mien.delegate = controller
        await withCheckedContinuation { continuation in
            controller.onEnd = continuation
            try? startAsInTheGuides()
        }
        #expect(
            controller.steps == [.loginForm, .selfieAcquisition, passes ? .success : .rejection])
        #expect(
            try body(transport.requests[4], as: RespondRequest.self).option
                == (passes ? "client_input" : "fail"))
        #expect(controller.errors.isEmpty)
    }

    private func startAsInTheGuides() throws { try Mien.startJourney(journeyId: "face-login") }

    @Test("a journey is awaited, saved, and restored, as in the web guide")
    func awaited() async throws {
        let transport = try begin(
            .json(
                JourneyAnswer.step(
                    "identityVerification", state: "s1",
                    data: ["payload": ["start_token": "cap", "endpoint": "https://x"]])),
            .json(JourneyAnswer.success()))
        let response = try await Mien.startJourney("face-registration")
        #expect(response.journeyStepId == .identityVerification)
        let state = try Mien.serializeState()
        try Mien.initialize(options(transport))
        #expect(throws: MienError(.noActiveJourney, "")) { try Mien.serializeState() }
        #expect(try Mien.restoreFromSerializedState(state).journeyStepId == .identityVerification)
        let data: JSONValue = ["payload": ["state": "st", "sessionId": "se"]]
        let end = try await Mien.submitClientResponse(
            clientResponseOptionId: .clientInput, data: data)
        #expect(end.token?.use { $0 } == "final.token.jwt")
        #expect(try body(transport.requests[1], as: RespondRequest.self).data == data)
        #expect(throws: MienError(.noActiveJourney, "")) { try Mien.serializeState() }
    }

    private struct Callback: MienHandler {
        let continuation: CheckedContinuation<Result<MienServiceResponse, MienError>, Never>
        func success(_ response: MienServiceResponse) {
            continuation.resume(returning: .success(response))
        }
        func failure(_ error: MienError) { continuation.resume(returning: .failure(error)) }
    }

    @Test("a journey with callbacks, as on Android")
    func callbacks() async throws {
        _ = try begin(.json(JourneyAnswer.step("loginForm")), .problem(.clientResponseNotValid))
        let started = await withCheckedContinuation {
            Mien.startJourney("face-login", nil, Callback(continuation: $0))
        }
        #expect(try started.get().journeyStepId == .loginForm)
        let answered = await withCheckedContinuation {
            Mien.submitClientResponse("face", nil, Callback(continuation: $0))
        }
        #expect(throws: MienError(.clientResponseNotValid, "")) { try answered.get() }
    }

    @Test("calls out of order are refused")
    func order() async throws {
        #expect(throws: MienError(.invalidInitializationOptions, "")) {
            try Mien.initialize(serverPath: "http://login.example")
        }
        _ = try begin()
        #expect(throws: MienError(.noActiveJourney, "")) { try submit() }
        await #expect(throws: MienError(.noActiveJourney, "")) {
            try await Mien.submitClientResponse(clientResponseOptionId: .cancel)
        }
        #expect(throws: MienError(.invalidState, "")) {
            try Mien.restoreFromSerializedState("AAAA")
        }
    }

    private func submit() throws {
        try Mien.submitClientResponse(clientResponseOptionId: .clientInput)
    }
}
