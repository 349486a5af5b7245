import MienAPI
import MienCore
import Synchronization
import Testing

@testable import MienClient

extension CaptureAnswer {
    static func open(_ left: Int, _ guidance: CaptureGuidance...) -> Self {
        CaptureAnswer(
            status: .known(.open), guidance: guidance.map { .known($0) }, framesLeft: left,
            expiresAt: 0)
    }
    /// The answer to the start of a session that takes pictures.
    static let pictures = CaptureAnswer(
        status: .known(.open), guidance: [], framesLeft: 60, expiresAt: 0, mode: .known(.image))
    static func live(
        next: Int, elapsed: Int = 0, nonce: String? = "AAEC", action: CaptureAction? = nil
    )
        -> Self
    {
        CaptureAnswer(
            status: .known(.open), guidance: [], framesLeft: 900, expiresAt: 0,
            mode: .known(.livenessActive),
            action: action.map { .known($0) }, elapsed: elapsed, nextFrame: next,
            nonce: nonce)
    }
    static func ended(_ status: CaptureStatus, _ left: Int) -> Self {
        CaptureAnswer(
            status: .known(status), guidance: [], quality: 80, framesLeft: left, expiresAt: 0)
    }
}

@Suite("Captures")
struct CaptureTests {
    private func session(_ transport: ScriptedTransport) throws -> CaptureSession {
        try JourneyClient(options(transport), sleep: Naps().sleep).captureSession(
            startToken: Sensitive("cap_1.secret"))
    }

    private func frames(_ count: Int) -> AsyncStream<CaptureFrame> {
        AsyncStream { stream in
            for number in 0..<count { stream.yield(CaptureFrame([0xff, 0xd8, UInt8(number)])) }
            stream.finish()
        }
    }

    @Test("frames are sent until one passes")
    func passes() async throws {
        let transport = ScriptedTransport([
            .json(CaptureAnswer.pictures), .json(CaptureAnswer.open(59, .faceNotFound)),
            .json(CaptureAnswer.ended(.passed, 58)),
        ])
        var guidance: [[WireValue<CaptureGuidance>]] = []
        let last = try await session(transport).run(frames(5)) { guidance.append($0.guidance) }
        #expect(last.hasPassed)
        #expect(guidance == [[.known(.faceNotFound)], []])
        #expect(transport.requests.map(\.body) == [[], [0xff, 0xd8, 0], [0xff, 0xd8, 1]])
        #expect(
            transport.requests.allSatisfy { $0.headers["authorization"] == "Bearer cap_1.secret" })
        #expect(transport.requests[0].url == "https://login.example/v1/capture/start")
        #expect(transport.requests[1].headers["content-type"] == "image/jpeg")
        #expect(transport.requests[1].url == "https://login.example/v1/capture/frames")
    }

    @Test("a session stays open if the frames end before it does")
    func runsOut() async throws {
        let transport = ScriptedTransport([
            .json(CaptureAnswer.pictures), .json(CaptureAnswer.open(59)),
            .json(CaptureAnswer.pictures), .json(CaptureAnswer.open(59)),
        ])
        #expect(try await session(transport).run(frames(1)).isOpen)
        #expect(try await session(transport).run(frames(0)).isOpen)
        #expect(transport.requests.map(\.method) == [.post, .post, .post, .get])
    }

    @Test("a frame that did not arrive is sent again")
    func requestLost() async throws {
        let transport = ScriptedTransport([
            .json(CaptureAnswer.pictures), .json(CaptureAnswer.open(59)), .fault(.unreachable),
            .json(CaptureAnswer.open(59)),
            .json(CaptureAnswer.ended(.passed, 58)),
        ])
        #expect(try await session(transport).run(frames(2)).hasPassed)
        #expect(transport.requests.map(\.method) == [.post, .post, .post, .get, .post])
        #expect(transport.requests[2].body == transport.requests[4].body)
    }

    @Test(
        "a frame that arrived is not sent again if its answer was lost",
        arguments: [CaptureStatus.open, .passed, .failed])
    func answerLost(_ status: CaptureStatus) async throws {
        let transport = ScriptedTransport([
            .json(CaptureAnswer.open(59)), .fault(.interrupted),
            .json(CaptureAnswer.ended(status, 58)),
        ])
        let session = try session(transport)
        _ = try await session.submitFrame([1])
        #expect(try await session.submitFrame([2]).status == .known(status))
        #expect(transport.turnsLeft == 0 && transport.requests.count == 3)
    }

    @Test("a lost answer to the frame that closed the session is recovered")
    func closedMeanwhile() async throws {
        let transport = ScriptedTransport([
            .fault(.timedOut), .json(CaptureAnswer.open(60)), .problem(.captureClosed),
            .json(CaptureAnswer.ended(.passed, 59)),
        ])
        #expect(try await session(transport).submitFrame([1]).hasPassed)
    }

    @Test("a capture that is not possible throws the reason")
    func refused() async throws {
        let transport = ScriptedTransport([
            .problem(.imageNotAccepted), .problem(.captureClosed), .problem(.invalidCredentials),
        ])
        let session = try session(transport)
        await #expect(throws: MienError(.clientResponseNotValid, "")) {
            try await session.submitFrame([1])
        }
        await #expect(throws: MienError(.invalidState, "")) { try await session.submitFrame([1]) }
        await #expect(throws: MienError(.invalidCredentials, "")) {
            try await session.submitFrame([1])
        }
    }

    @Test("canceling ends the session")
    func cancel() async throws {
        let transport = ScriptedTransport([.json(CaptureAnswer.ended(.cancelled, 60))])
        #expect(try await session(transport).cancel().status == .known(.cancelled))
        #expect(transport.requests.map(\.method) == [.delete])
    }

    @Test("a step opens its session, or throws if it has none")
    func ofStep() async throws {
        let transport = ScriptedTransport([
            .json(JourneyAnswer.step("selfieAcquisition", data: ["start_token": "cap_2.s"])),
            .json(CaptureAnswer.pictures),
            .json(CaptureAnswer.ended(.passed, 59)),
            .json(JourneyAnswer.step("information", state: "s2")), .json(JourneyAnswer.success()),
        ])
        let journey = try await JourneyClient(options(transport), sleep: Naps().sleep).start("j")
        for try await step in journey.steps {
            if step.id == .selfieAcquisition {
                #expect(try await step.capture(frames(1)).hasPassed)
            } else {
                await #expect(throws: MienError(.invalidState, "")) {
                    try await step.capture(frames(1))
                }
            }
            try await step.respond()
        }
        #expect(transport.requests[1].headers["authorization"] == "Bearer cap_2.s")
    }

    // MARK: Live

    private func live(_ transport: ScriptedTransport, at now: HandTime) throws -> CaptureSession {
        let connection = try options(transport).connection(sleep: Naps().sleep)
        return CaptureSession(Sensitive("cap_1.secret"), connection, clock: { now.time })
    }

    private func sent(_ transport: ScriptedTransport) -> [[LinkedFrame]] {
        transport.requests.filter { $0.headers["content-type"] == FrameBatch.contentType }
            .compactMap { try? FrameBatch.decode($0.body) }
    }

    @Test(
        "live frames carry numbers, session times, and links to the nonce; the last answer is the verdict"
    )
    func updates() async throws {
        let transport = ScriptedTransport([
            .json(CaptureAnswer.live(next: 1, elapsed: 40, action: .keepStill)),
            .json(CaptureAnswer.live(next: 2, action: .turnLeft)),
            .json(CaptureAnswer.ended(.passed, 0)),
        ])
        let now = HandTime(.seconds(5)), session = try live(transport, at: now),
            (stream, frames) = AsyncStream<CaptureFrame>.makeStream()
        var told: [CaptureAnswer] = []
        for try await answer in session.updates(of: stream) {
            told.append(answer)
            now.advance(.milliseconds(100))
            frames.yield(CaptureFrame([UInt8(told.count)]))
        }
        #expect(
            told.map(\.action) == [.known(.keepStill), .known(.turnLeft), nil]
                && told.last?.hasPassed == true)
        let batches = sent(transport)
        #expect(batches.map { $0.map(\.milliseconds) } == [[140], [240]])
        var chain = FrameChain(nonce: [0, 1, 2])
        for frame in batches.joined() { #expect(throws: Never.self) { try chain.accept(frame) } }
    }

    @Test(
        "after a lost answer, only frames that did not arrive are sent again",
        arguments: [1, 2, 3])
    func lostAnswers(next: Int) async throws {
        let transport = ScriptedTransport([
            .json(CaptureAnswer.live(next: 1)), .fault(.interrupted),
            .json(CaptureAnswer.live(next: next)), .json(CaptureAnswer.live(next: 3)),
        ])
        let session = try live(transport, at: HandTime(.zero))
        try await session.start()
        let answer = try await session.submitLive([
            CaptureFrame([1]), CaptureFrame([2], time: .zero),
        ])
        #expect(answer.nextFrame == 3)
        let batches = sent(transport)
        #expect(batches[0].map(\.number) == [1, 2] && batches[0].map(\.milliseconds) == [0, 1])
        #expect(
            batches.dropFirst().map { $0.map(\.number) }
                == (next == 3 ? [] : next == 2 ? [[2]] : [[1, 2]]))
        for frame in batches.dropFirst().joined() {
            #expect(batches[0].contains(frame), "the same bytes")
        }
    }

    @Test(
        "a session that another client started is not continued; without a start nothing is sent"
    )
    func foreign() async throws {
        let transport = ScriptedTransport([.json(CaptureAnswer.live(next: 7))]),
            session = try live(transport, at: HandTime(.zero))
        await #expect(throws: MienError(.invalidState, "")) {
            try await session.submitLive([CaptureFrame([1])])
        }
        await #expect(throws: MienError(.invalidState, "")) { try await session.start() }
    }

    @Test(
        "a batch that is too large is sent in halves with the same bytes, and later batches are smaller"
    )
    func tooLargeTogether() async throws {
        let transport = ScriptedTransport([
            .json(CaptureAnswer.live(next: 1)), .problem(.payloadTooLarge),
            .problem(.payloadTooLarge), .json(CaptureAnswer.live(next: 2)),
            .json(CaptureAnswer.live(next: 3)), .json(CaptureAnswer.live(next: 5)),
        ])
        let session = try live(transport, at: HandTime(.zero))
        try await session.start()
        let answer = try await session.submitLive(
            (1...4).map { CaptureFrame([UInt8](repeating: $0, count: 10)) })
        #expect(answer.nextFrame == 5)
        let batches = sent(transport)
        #expect(batches.map { $0.map(\.number) } == [[1, 2, 3, 4], [1, 2], [1], [2], [3, 4]])
        var chain = FrameChain(nonce: [0, 1, 2])
        for frame in batches[2...].joined() {
            #expect(throws: Never.self) { try chain.accept(frame) }
        }
        #expect(await session.batchBytes == 10)
    }

    @Test(
        "a verdict on one half of the frames stands; a single frame that is too large is an error"
    )
    func tooLarge() async throws {
        let transport = ScriptedTransport([
            .json(CaptureAnswer.live(next: 1)), .problem(.payloadTooLarge),
            .json(CaptureAnswer.ended(.passed, 0)),
            .problem(.payloadTooLarge, "The body may have at most 5000 bytes."),
        ])
        let session = try live(transport, at: HandTime(.zero))
        try await session.start()
        #expect(try await session.submitLive([CaptureFrame([1]), CaptureFrame([2])]).hasPassed)
        do {
            try await session.submitLive([CaptureFrame([UInt8](repeating: 1, count: 6000))])
            Issue.record("the frame was accepted")
        } catch let error as MienError {
            #expect(
                error.code == .clientResponseNotValid && error.problem?.code == .payloadTooLarge)
            #expect(
                error.reason.contains("6000 bytes") && error.reason.contains("at most 5000 bytes"))
        }
        #expect(transport.turnsLeft == 0)
    }

    @Test(
        "batches stay under the servers' default limit, even with large pictures"
    )
    func large() async throws {
        let transport = ScriptedTransport([
            .json(CaptureAnswer.live(next: 1)), .json(CaptureAnswer.live(next: 2)),
            .json(CaptureAnswer.live(next: 3)),
        ])
        let session = try live(transport, at: HandTime(.zero)),
            (stream, frames) = AsyncStream<CaptureFrame>.makeStream()
        for number: UInt8 in 1...2 {
            frames.yield(CaptureFrame([UInt8](repeating: number, count: 2 << 20)))
        }
        frames.finish()
        for try await _ in session.updates(of: stream) {}
        #expect(sent(transport).map { $0.map(\.number) } == [[1], [2]])

        let buffer = FrameBuffer()
        for count in [60, 40, 1, 200, 10] {
            await buffer.put(CaptureFrame([UInt8](repeating: 0, count: count)), waits: false)
        }
        buffer.end(nil)
        var taken: [[Int]] = []
        while let frames = try await buffer.take(atMost: 8, bytes: 100) {
            taken.append(frames.map(\.bytes.count))
        }
        #expect(taken == [[60, 40], [1], [200], [10]])
    }

    // MARK: The source of the frames

    @Test(
        "in image mode too, the camera is released once a picture has passed, though it has more",
        .timeLimit(.minutes(10)))
    func cameraAfterPass() async throws {
        let transport = ScriptedTransport([
            .json(CaptureAnswer.pictures), .json(CaptureAnswer.ended(.passed, 59)),
        ])
        let (ended, end) = AsyncStream<Void>.makeStream()
        let iterator = try session(transport).updates(of: EndlessCamera(letGo: end))
            .makeAsyncIterator()
        let first = try await iterator.next(), second = try await iterator.next()
        #expect(first?.isOpen == true && second?.hasPassed == true)
        #expect(await ended.first { _ in true } != nil)
        let third = try await iterator.next()
        #expect(third == nil)
    }

    @Test(
        "the camera is released when iteration stops or the task is canceled",
        .timeLimit(.minutes(10)), arguments: [true, false])
    func cameraAfterBreak(isCancelled: Bool) async throws {
        let transport = ScriptedTransport([
            .json(CaptureAnswer.pictures), isCancelled ? .never : .json(CaptureAnswer.open(59)),
        ])
        let session = try session(transport), (ended, end) = AsyncStream<Void>.makeStream()
        let task = Task {
            var told = 0
            for try await _ in session.updates(of: EndlessCamera(letGo: end)) {
                told += 1
                if told == 2 { break }
            }
        }
        if isCancelled {
            while transport.requests.count < 2 { await Task.yield() }
            task.cancel()
            await #expect(throws: (any Error).self) { try await task.value }
        } else {
            try await task.value
        }
        #expect(await ended.first { _ in true } != nil)
    }

    @Test(
        "a waiting frame is released when the buffer ends or its task is canceled",
        .timeLimit(.minutes(10)), arguments: [true, false])
    func waitingFrame(isCancelled: Bool) async throws {
        let buffer = FrameBuffer()
        #expect(await buffer.put(CaptureFrame([1]), waits: true))
        let task = Task { await buffer.put(CaptureFrame([2]), waits: true) }
        if isCancelled { task.cancel() } else { buffer.end(nil) }
        #expect(await task.value == false)
        #expect(await buffer.put(CaptureFrame([3]), waits: false) == false)
    }

    @Test("a frame that comes just before the end is taken")
    func lastFrame() async throws {
        // The frame and the end come at another moment of `take` in each round.
        let turns = Mutex(0)
        for round in 0..<50_000 {
            let buffer = FrameBuffer()
            async let end: Void = {
                for _ in 0..<round % 100 { turns.withLock { $0 &+= 1 } }
                await buffer.put(CaptureFrame([1]), waits: false)
                buffer.end(nil)
            }()
            let taken = try await buffer.take(atMost: 1)
            await end
            guard taken?.count == 1 else {
                Issue.record("the frame of round \(round) was lost")
                return
            }
        }
    }

    @Test("canceling the task that waits for the next answer ends it and releases the frames")
    func cancelled() async throws {
        let transport = ScriptedTransport([.json(CaptureAnswer.live(next: 1))]),
            session = try live(transport, at: HandTime(.zero))
        let (stream, frames) = AsyncStream<CaptureFrame>.makeStream(),
            (ended, end) = AsyncStream<Void>.makeStream()
        frames.onTermination = { _ in end.yield() }
        let task = Task {
            var count = 0
            for try await _ in session.updates(of: stream) { count += 1 }
            return count
        }
        while transport.requests.isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await ended.first { _ in true } != nil)
    }
}

/// A camera that always has another picture, and records when nobody reads from it any longer.
private struct EndlessCamera: AsyncSequence, Sendable {
    typealias Element = CaptureFrame
    let letGo: AsyncStream<Void>.Continuation

    func makeAsyncIterator() -> Iterator { Iterator(letGo) }

    final class Iterator: AsyncIteratorProtocol {
        private let letGo: AsyncStream<Void>.Continuation

        init(_ letGo: AsyncStream<Void>.Continuation) { self.letGo = letGo }

        deinit { letGo.yield() }

        func next() async throws -> CaptureFrame? { CaptureFrame([0xff, 0xd8]) }
    }
}

/// A steady clock that the test advances.
private final class HandTime: Sendable {
    private let now: Mutex<Duration>
    init(_ start: Duration) { now = Mutex(start) }
    var time: Duration { now.withLock { $0 } }
    func advance(_ duration: Duration) { now.withLock { $0 += duration } }
}
