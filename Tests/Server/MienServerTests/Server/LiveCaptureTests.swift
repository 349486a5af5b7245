import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienTesting
import Synchronization
import Testing

@testable import MienServer

/// Tests complete live captures over HTTP. Only the content of the frames is synthetic.
@Suite("Live captures over HTTP", .enabled(if: Installed.isThere, Installed.reason))
struct LiveCaptureTests {
    static let live = ["MIEN_FACE_LIVENESS_MODE": "liveness_active"]
    let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    func run(
        _ settings: [String: String] = [:], _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(
            in: scratch, settings: Self.live.merging(settings) { $1 }, reader: WordReader()
        ) { server in
            try await server.makeUser()
            try await body(server)
        }
    }

    /// Starts a face login that waits for its capture.
    func login(_ server: TestServer) async throws -> (Journey, Sensitive<String>) {
        let journey = try await server.client().start("face-login")
        let step = try await journey.respond("face", ["user_identifier": "ada"])
        return (journey, try #require(step.startToken))
    }

    func register(_ server: TestServer, _ person: Int = 0, seed: UInt64 = 100) async throws {
        let journey = try await server.client().start("face-registration")
        try await journey.respond(
            "password", ["username": "ada", "password": "a password nobody has"])
        let step = try await journey.respond(.clientInput)
        var stage = try await LiveStage(server, try #require(step.startToken), seed: seed)
        try await stage.play(person)
        try #require(stage.answer.hasPassed, "\(stage.answer)")
        try await journey.respond(.clientInput)
        guard case .success = await journey.outcome() else {
            throw MienError(.serverError, "the face was not registered")
        }
    }

    func code(_ answer: (status: Int, body: JSONValue)) -> String? {
        answer.body["code"]?.stringValue
    }

    @Test(
        "a live person registers and logs in; another live person cannot; the audit log has the verdict and no picture"
    )
    func genuine() async throws {
        try await run { server in
            try await register(server)
            let (journey, token) = try await login(server)
            var stage = try await LiveStage(server, token, seed: 2)
            try await stage.play()
            #expect(
                stage.answer.hasPassed && stage.answer.reasons == nil && stage.answer.nonce == nil)
            try await journey.respond(.clientInput)
            guard case .success = await journey.outcome() else {
                Issue.record("a live person was rejected")
                return
            }
            let (other, otherToken) = try await login(server)
            var stranger = try await LiveStage(server, otherToken, seed: 3)
            try await stranger.play(1)
            #expect(stranger.answer.hasPassed, "a live person is present")
            #expect(try await other.respond(.clientInput).startToken == nil)
            #expect(await other.outcome() == nil, "but that person is not Ada")

            let entries = try await server.admin.audit().items.filter {
                $0.event.hasPrefix("capture.")
            }
            #expect(entries.map(\.event) == ["capture.passed", "capture.passed", "capture.passed"])
            // A template is made of several frames; a login compares one frame with it.
            let registered = try await server.admin.audit().items.first {
                $0.event == "face.registered"
            }
            #expect(registered?.detail["photos"] == .number(Double(LiveJudgment.framesToEnroll)))
            let detail = try #require(entries.first?.detail)
            #expect(
                detail["mode"] == "liveness_active"
                    && (2...3).contains(detail["actions"]?.arrayValue?.count ?? 0))
            #expect(
                detail["measured"]?["depth"]?.numberValue.map {
                    abs(($0 * 100).rounded() - $0 * 100) < 1e-9
                } == true)
            #expect(
                Set(detail.keys).isSubset(of: [
                    "mode", "actions", "measured", "frames", "seconds", "not_run",
                ]))
            let metrics = String(
                decoding: try await AsyncHTTPTransport().send(
                    .init(method: .get, url: server.url("/metrics"))
                ).body, as: UTF8.self)
            #expect(
                metrics.contains(#"mien_captures_total{mode="liveness_active",result="passed"} 3"#))
        }
    }

    @Test(
        "each action is announced only when it is due; each answer gives the progress and the remaining time"
    )
    func guidance() async throws {
        try await run { server in
            let (_, token) = try await login(server)
            var stage = try await LiveStage(server, token),
                announced: [WireValue<CaptureAction>] = [],
                lastProgress = 0
            #expect(
                stage.answer.mode == .known(.livenessActive)
                    && stage.answer.action == .known(.keepStill)
                    && stage.answer.countdown == 60_000)
            #expect(
                stage.answer.nextFrame == 1 && stage.answer.elapsed == 0
                    && stage.answer.framesLeft == 900)
            for _ in 0..<400 where stage.answer.isOpen {
                try await stage.play(atMost: 1)
                if let action = stage.answer.action, announced.last != action {
                    announced.append(action)
                }
                guard stage.answer.isOpen else { break }
                #expect(stage.answer.progress.map { $0 >= lastProgress } == true)
                lastProgress = stage.answer.progress ?? 0
                #expect(
                    stage.answer.nextFrame == stage.number + 1
                        && stage.answer.framesLeft == 900 - stage.number)
                #expect(stage.answer.countdown == 60_000 - 100 * stage.number)
            }
            // Each `play(atMost: 1)` restarts and so performs no action. The session fails after
            // announcing only one action.
            #expect(
                stage.answer.status == .known(.failed) && announced.first == .known(.keepStill)
                    && announced.count == 2)
            #expect(
                [.known(.actionMissed), .known(.blinkMissed)].contains(stage.answer.reasons?.first))
        }
    }

    @Test(
        "a picture is refused where liveness is required; the error says what to do, and the session goes on"
    )
    func pictures() async throws {
        try await run { server in
            let (_, token) = try await login(server)
            let text = token.use { $0 }
            let refused = try await LiveStage.send(
                server, text, "frames", "image/jpeg", Installed.photo("obama"))
            #expect(refused.0 == 409 && refused.1["code"] == "live_capture_required")
            #expect(refused.1["detail"]?.stringValue?.contains("/v1/capture/start") == true)
            var stage = try await LiveStage(server, token)
            #expect(
                code(
                    try await LiveStage.send(
                        server, text, "frames", "image/jpeg", Installed.photo("obama")))
                    == "live_capture_required")
            try await stage.play()
            #expect(stage.answer.hasPassed)
        }
    }

    @Test(
        "frames before the start, with gaps, or repeated are refused, and the session goes on"
    )
    func order() async throws {
        try await run { server in
            let (_, token) = try await login(server)
            var foreign = FrameChain(nonce: [1])
            let early = try await LiveStage.send(
                server, token.use { $0 }, "frames", FrameBatch.contentType,
                FrameBatch.encode([foreign.append([1], milliseconds: 0)]))
            #expect(early.0 == 409 && early.1["code"] == "frame_out_of_order")
            var stage = try await LiveStage(server, token)
            let first = stage.frame(.init()), second = stage.frame(.init()),
                third = stage.frame(.init())
            #expect(code(try await stage.post([second])) == "frame_out_of_order")
            #expect(code(try await stage.post([first, third])) == "frame_out_of_order")
            #expect(try await stage.post([first]).status == 200)
            #expect(code(try await stage.post([first])) == "frame_out_of_order")
            #expect(try await stage.post([second, third]).body["next_frame"] == 4)
            // A repeated start returns the same session and the next frame number.
            let again = try await LiveStage.send(
                server, stage.token, "start", "application/json", [])
            #expect(
                again.1["nonce"]?.stringValue == stage.answer.nonce && again.1["next_frame"] == 4)
            try await stage.play()
            #expect(stage.answer.hasPassed)
        }
    }

    @Test(
        "a frame that is altered, from another session, too early, too late, or not later ends the session",
        arguments: 0..<5)
    func tampered(kind: Int) async throws {
        try await run { server in
            let (journey, token) = try await login(server)
            var stage = try await LiveStage(server, token)
            try await stage.play(atMost: 5)
            var before = stage.chain, frame = stage.frame(.init()), reason = "frame_altered"
            switch kind {
            case 0:
                frame = LinkedFrame(
                    number: frame.number, milliseconds: frame.milliseconds, link: frame.link,
                    picture: frame.picture + [32])
            case 1:
                var other = try await LiveStage(server, try await login(server).1)
                for _ in 0..<6 { frame = other.frame(.init()) }
            case 2: reason = "frame_early"
            case 3:
                server.time.advance(.milliseconds(5200))
                reason = "frame_late"
            default: reason = "clock_went_back"
            }
            if kind == 2 || kind == 4 {
                frame = before.append([1], milliseconds: kind == 2 ? stage.elapsed + 1200 : 300)
            }
            let answer = try await stage.post([frame])
            #expect(
                answer.status == 200 && answer.body["status"] == "failed"
                    && answer.body["reasons"] == [.string(reason)])
            #expect(code(try await stage.post([stage.frame(.init())])) == "capture_closed")
            #expect(
                try await journey.respond(.clientInput).startToken == nil,
                "a failed capture leads to another step")
            #expect(
                try await server.admin.audit().items.contains {
                    $0.event == "capture.refused" && $0.detail["reasons"] == [.string(reason)]
                })
        }
    }

    @Test(
        "another person who appears after the actions, while template frames are taken, in the first one's place or beside it, ends the session",
        arguments: [320.0, 600])
    func steppedIn(x: Double) async throws {
        try await run { server in
            let journey = try await server.client().start("face-registration")
            try await journey.respond(
                "password", ["username": "ada", "password": "a password nobody has"])
            var stage = try await LiveStage(
                server, try #require(try await journey.respond(.clientInput).startToken))
            try await stage.play { asked, since, words in
                LiveStage.obey(asked, since, &words)
            } until: {
                $0.progress == 100
            }
            #expect(stage.answer.isOpen, "all actions are done, and more frames are needed")
            for _ in 0..<11 where stage.answer.isOpen {
                try await stage.show(.init(person: 1, x: x))
            }
            #expect(
                stage.answer.status == .known(.failed)
                    && stage.answer.reasons == [.known(.faceChanged)])
        }
    }

    @Test(
        "a frame for which the server was too busy can be sent again, and the session passes",
        arguments: ["face-registration", "face-login"])
    func busy(journey name: String) async throws {
        try await TestServer.run(
            in: scratch, settings: Self.live, reader: BusyReader(refusals: 1)
        ) { server in
            try await server.makeUser()
            let journey = try await server.client().start(name)
            let step: MienServiceResponse
            if name == "face-login" {
                step = try await journey.respond("face", ["user_identifier": "ada"])
            } else {
                try await journey.respond(
                    "password", ["username": "ada", "password": "a password nobody has"])
                step = try await journey.respond(.clientInput)
            }
            let token = try #require(step.startToken)
            var stage = try await LiveStage(server, token)
            try await stage.play()
            #expect(stage.repeated == 1, "the reader was busy once")
            #expect(stage.answer.hasPassed, "\(stage.answer)")
        }
    }

    @Test("of two simultaneous requests with the same frames, one is accepted")
    func race() async throws {
        try await run { server in
            var stage = try await LiveStage(server, try await login(server).1)
            let batch = [stage.frame(.init()), stage.frame(.init())], still = stage
            let codes = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<6 { tasks.addTask { try await still.post(batch).status } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.sorted() == [200, 409, 409, 409, 409, 409])
            try await stage.play()
            #expect(stage.answer.hasPassed)
        }
    }

    @Test(
        "doing nothing, turning a picture, and performing other actions are refused with the reason",
        arguments: ["nothing", "flat", "other"])
    func attackers(kind: String) async throws {
        try await run { server in
            var stage = try await LiveStage(server, try await login(server).1)
            try await stage.play { asked, since, words in
                switch kind {
                case "nothing": break
                case "flat":
                    LiveStage.obey(asked, since, &words)
                    words.isFlat = true
                    words.yaw *= 2
                default:
                    LiveStage.obey(
                        asked == .turnLeft
                            ? .turnRight : asked.map { $0 == .keepStill ? $0 : .turnLeft }, since,
                        &words)
                }
            }
            #expect(stage.answer.status == .known(.failed))
            let reasons = try #require(stage.answer.reasons).map(\.rawValue),
                first = try #require(reasons.first)
            switch kind {
            case "nothing":
                #expect(["action_missed", "blink_missed"].contains(first), "\(reasons)")
            // A head turn is always requested, and a flat picture never shows another side.
            case "flat": #expect(first == "action_missed" && reasons.contains("flat"), "\(reasons)")
            default: #expect(first == "action_out_of_order", "\(reasons)")
            }
        }
    }

    @Test(
        "a replay of an earlier session is recognized, even after a restart; a new session of the same person is not one"
    )
    func replayed() async throws {
        // The pictures must be of one person, because this test tells sessions of the same person
        // apart.
        let sessions = [UInt64(100), 101].map { seed in
            (1...10).map { ReplayHash(WordReader.Words(seed: seed, number: $0).patch) }
        }
        for (one, other) in sessions[0].flatMap({ one in sessions[1].map { (one, $0) } }) {
            #expect((ReplayHash.near + 1..<ReplayHash.bits / 3).contains(one.distance(to: other)))
        }
        let time = HandClock()
        let credential = Mutex<Sensitive<String>?>(nil)
        try await TestServer.run(in: scratch, settings: Self.live, time: time, reader: WordReader())
        { server in
            credential.withLock { $0 = server.credential }
            try await server.makeUser()
            try await register(server, seed: 100)
            var again = try await LiveStage(server, try await login(server).1, seed: 100)
            try await again.play()
            #expect(
                again.answer.status == .known(.failed)
                    && again.answer.reasons == [.known(.replayed)])
            var other = try await LiveStage(server, try await login(server).1, seed: 101)
            try await other.play()
            #expect(other.answer.hasPassed)
        }
        try await TestServer.run(
            in: scratch, settings: Self.live, time: time, credential: credential.withLock { $0 },
            reader: WordReader()
        ) {
            server in
            for (seed, passes) in [(UInt64(100), false), (101, false), (102, true)] {
                var stage = try await LiveStage(server, try await login(server).1, seed: seed)
                try await stage.play()
                #expect(stage.answer.hasPassed == passes)
            }
            // Trails are forgotten after their lifetime.
            time.advance(.seconds(8 * 86_400))
            await server.server.sweep()
            var stage = try await LiveStage(server, try await login(server).1, seed: 100)
            try await stage.play()
            #expect(stage.answer.hasPassed)
        }
    }

    @Test("a restart ends live sessions, and the error says so")
    func restart() async throws {
        let time = HandClock()
        let token = Mutex("")
        let credential = Mutex<Sensitive<String>?>(nil)
        try await TestServer.run(in: scratch, settings: Self.live, time: time, reader: WordReader())
        { server in
            credential.withLock { $0 = server.credential }
            try await server.makeUser()
            var stage = try await LiveStage(server, try await login(server).1)
            try await stage.play(atMost: 5)
            token.withLock { $0 = stage.token }
        }
        let kept = token.withLock { $0 }
        try await TestServer.run(
            in: scratch, settings: Self.live, time: time, credential: credential.withLock { $0 },
            reader: WordReader()
        ) {
            server in
            let headers = ["authorization": "Bearer \(kept)"]
            let status = try await server.send(.get, "/v1/capture", headers: headers)
            #expect(status.body["status"] == "failed" && status.body["reasons"] == ["interrupted"])
            var chain = FrameChain(nonce: [1])
            let frames = try await LiveStage.send(
                server, kept, "frames", FrameBatch.contentType,
                FrameBatch.encode([chain.append([1], milliseconds: 0)]))
            #expect(
                frames.0 == 409 && frames.1["code"] == "capture_closed"
                    && frames.1["detail"]?.stringValue?.contains("restarted") == true)
            // The same capture begins again, with a session of its own.
            var stage = try await LiveStage(server, Sensitive(kept), seed: 2)
            #expect(stage.answer.isOpen && stage.answer.nextFrame == 1)
            try await stage.play()
            #expect(stage.answer.hasPassed)
        }
    }
}
