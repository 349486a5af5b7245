import MienAPI
import MienCore
import Testing

@testable import MienClient

extension CaptureAnswer {
    static func open(_ left: Int, _ guidance: String...) -> Self { CaptureAnswer(status: "open", guidance: guidance, framesLeft: left, expiresAt: 0) }
    static func ended(_ status: String, _ left: Int) -> Self {
        CaptureAnswer(status: status, guidance: [], quality: 80, framesLeft: left, expiresAt: 0)
    }
}

@Suite("Captures")
struct CaptureTests {
    private func session(_ transport: ScriptedTransport) throws -> CaptureSession {
        try JourneyClient(options(transport), sleep: Naps().sleep).captureSession(startToken: Sensitive("cap_1.secret"))
    }

    private func frames(_ count: Int) -> AsyncStream<CaptureFrame> {
        AsyncStream { stream in
            for number in 0..<count { stream.yield(CaptureFrame([0xff, 0xd8, UInt8(number)])) }
            stream.finish()
        }
    }

    @Test("frames go until one passes")
    func passes() async throws {
        let transport = ScriptedTransport([.json(CaptureAnswer.open(59, "face_not_found")), .json(CaptureAnswer.ended("passed", 58))])
        var guidance: [[String]] = []
        let last = try await session(transport).run(frames(5)) { guidance.append($0.guidance) }
        #expect(last.hasPassed)
        #expect(guidance == [["face_not_found"], []])
        #expect(transport.requests.map(\.body) == [[0xff, 0xd8, 0], [0xff, 0xd8, 1]])
        #expect(transport.requests[0].headers["authorization"] == "Bearer cap_1.secret")
        #expect(transport.requests[0].headers["content-type"] == "image/jpeg")
        #expect(transport.requests[0].url == "https://login.example/v1/capture/frames")
    }

    @Test("when frames end before the session does, it is still open")
    func runsOut() async throws {
        let transport = ScriptedTransport([.json(CaptureAnswer.open(59)), .json(CaptureAnswer.open(59))])
        #expect(try await session(transport).run(frames(1)).isOpen)
        #expect(try await session(transport).run(frames(0)).isOpen)
        #expect(transport.requests.map(\.method) == [.post, .get])
    }

    @Test("a frame that did not arrive is sent again")
    func requestLost() async throws {
        let transport = ScriptedTransport([
            .json(CaptureAnswer.open(59)), .fault(.unreachable), .json(CaptureAnswer.open(59)), .json(CaptureAnswer.ended("passed", 58)),
        ])
        #expect(try await session(transport).run(frames(2)).hasPassed)
        #expect(transport.requests.map(\.method) == [.post, .post, .get, .post])
        #expect(transport.requests[1].body == transport.requests[3].body)
    }

    @Test("a frame that arrived is not sent again although its answer was lost", arguments: ["open", "passed", "failed"])
    func answerLost(_ status: String) async throws {
        let transport = ScriptedTransport([.json(CaptureAnswer.open(59)), .fault(.interrupted), .json(CaptureAnswer.ended(status, 58))])
        let session = try session(transport)
        _ = try await session.submitFrame([1])
        #expect(try await session.submitFrame([2]).status == status)
        #expect(transport.turnsLeft == 0 && transport.requests.count == 3)
    }

    @Test("a frame that closed the session while its answer was lost is found out")
    func closedMeanwhile() async throws {
        let transport = ScriptedTransport([
            .fault(.timedOut), .json(CaptureAnswer.open(60)), .problem(.captureClosed), .json(CaptureAnswer.ended("passed", 59)),
        ])
        #expect(try await session(transport).submitFrame([1]).hasPassed)
    }

    @Test("what cannot be captured says why")
    func refused() async throws {
        let transport = ScriptedTransport([.problem(.imageNotAccepted), .problem(.captureClosed), .problem(.invalidCredentials)])
        let session = try session(transport)
        await #expect(throws: MienError(.clientResponseNotValid, "")) { try await session.submitFrame([1]) }
        await #expect(throws: MienError(.invalidState, "")) { try await session.submitFrame([1]) }
        await #expect(throws: MienError(.invalidCredentials, "")) { try await session.submitFrame([1]) }
    }

    @Test("cancelling ends it")
    func cancel() async throws {
        let transport = ScriptedTransport([.json(CaptureAnswer.ended("cancelled", 60))])
        #expect(try await session(transport).cancel().status == "cancelled")
        #expect(transport.requests.map(\.method) == [.delete])
    }

    @Test("a step knows its session, or that it has none")
    func ofStep() async throws {
        let transport = ScriptedTransport([
            .json(JourneyAnswer.step("selfieAcquisition", data: ["start_token": "cap_2.s"])), .json(CaptureAnswer.ended("passed", 59)),
            .json(JourneyAnswer.step("information", state: "s2")), .json(JourneyAnswer.success()),
        ])
        let journey = try await JourneyClient(options(transport), sleep: Naps().sleep).start("j")
        for try await step in journey.steps {
            if step.id == .selfieAcquisition {
                #expect(try await step.capture(frames(1)).hasPassed)
            } else {
                await #expect(throws: MienError(.invalidState, "")) { try await step.capture(frames(1)) }
            }
            try await step.respond()
        }
        #expect(transport.requests[1].headers["authorization"] == "Bearer cap_2.s")
    }
}
