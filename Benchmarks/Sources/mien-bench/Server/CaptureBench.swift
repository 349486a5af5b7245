import Foundation
import MienAPI
import MienCore
import MienFace
import MienLoad
import MienModels
import MienTools

/// Measures live captures that run on a server at the same time. Each client sends ten frames a
/// second, as a phone does: whatever was taken while the last request was under way goes into the
/// next one.
///
/// The frames show a head that is animated from a demo photo and performs the requested actions, so
/// that sessions take their full course. A capture that ends is followed by another one.
struct CaptureBench {
    /// The number of captures at once.
    let captures: Int
    let seconds: Double
    let framesPerSecond: Int
    let program: URL
    let home: MienHome
    /// Finds the face to animate.
    let engine: FaceEngine

    struct Result: Encodable {
        let captures: Int
        let framesPerSecond: Int
        /// Milliseconds from the moment at which a frame was taken to the answer to it.
        let answer: LoadFigures.Latency
        /// Frames that were answered, and those that clients dropped because more than eight waited.
        let frames, dropped: Int
        let framesAnsweredPerSecond: Double
        let residentMebibytes: Double
        /// Captures that ended, and those of them that passed.
        let ended, passed: Int
        /// Advice in the answers, and how often each was given.
        let guidance: [String: Int]
    }

    func run() async throws -> Result {
        let server = try LoadServer(
            program: program,
            environment: LoadServer.unlimited.merging([
                "MIEN_PACKS": home.packs.path, "MIEN_CAPTURE_LIVE_SESSIONS": "\(40 * captures)",
            ]) { $1 })
        defer { server.stop() }
        let photo = try FaceUser.photo("obama.jpg", in: home)
        let acted = try await ActedFrames(
            PipelineBench.fitted(try DemoPhotos.image("obama2.jpg", in: home)),
            framesPerSecond: framesPerSecond, engine: engine)
        let users = try await SetupClient.with(server) { setup in
            try await setup.accept(.image)
            var users: [FaceUser] = []
            for index in 0..<captures {
                users.append(try await FaceUser("user\(index)", photo: photo, setup))
            }
            try await setup.accept(.livenessActive)
            return users
        }
        let tally = try await LoadClient.with(port: server.port, connections: captures) { client in
            // All begin together after the first answers, which wait for the networks.
            try await withThrowingTaskGroup(of: Tally.self) { group in
                let start = ContinuousClock.now + .seconds(2)
                for (index, user) in users.enumerated() {
                    group.addTask {
                        // Phones are not in step with each other.
                        let offset = Duration.milliseconds(
                            1000 / framesPerSecond * index / captures)
                        return try await Phone(
                            client: client, user: user, frames: acted,
                            interval: .milliseconds(1000 / framesPerSecond)
                        ).run(from: start + offset, until: start + .seconds(seconds))
                    }
                }
                return try await group.reduce(into: Tally()) { $0.add($1) }
            }
        }
        return Result(
            captures: captures, framesPerSecond: framesPerSecond,
            answer: LoadFigures.Latency(tally.milliseconds),
            frames: tally.milliseconds.count, dropped: tally.dropped,
            framesAnsweredPerSecond: Double(tally.milliseconds.count) / seconds,
            residentMebibytes: server.residentMebibytes.maximum, ended: tally.ended,
            passed: tally.passed, guidance: tally.guidance)
    }
}

extension CaptureBench {
    struct Tally: Sendable {
        var milliseconds: [Double] = []
        var dropped = 0, ended = 0, passed = 0
        var guidance: [String: Int] = [:]

        mutating func add(_ other: Tally) {
            milliseconds += other.milliseconds
            dropped += other.dropped
            ended += other.ended
            passed += other.passed
            guidance.merge(other.guidance, uniquingKeysWith: +)
        }
    }

    /// A client that takes frames at a steady rate, and sends those that wait.
    struct Phone: Sendable {
        /// The number of frames that may wait; the oldest is dropped before it is numbered.
        static let waiting = 8

        let client: LoadClient
        let user: FaceUser
        let frames: ActedFrames
        let interval: Duration

        func run(from start: ContinuousClock.Instant, until end: ContinuousClock.Instant)
            async throws -> Tally
        {
            try await Task.sleep(until: start)
            var tally = Tally(), due = start
            while ContinuousClock.now < end {
                try await capture(&tally, &due, until: end)
            }
            return tally
        }

        /// Runs one capture to its end.
        private func capture(
            _ tally: inout Tally, _ due: inout ContinuousClock.Instant,
            until end: ContinuousClock.Instant
        ) async throws {
            let token = try await user.startToken(client)
            let began = try await client.request(
                "POST", "/v1/capture/start", body: [], bearer: token)
            guard let nonce = began.text("nonce").flatMap({ Base64URL.decode($0) }) else {
                throw LoadError("no nonce: \(began.bodyText)")
            }
            let zero = ContinuousClock.now
            var chain = FrameChain(nonce: nonce)
            var position = ActedFrames.Position(), asked: String?
            due = zero
            while due < end {
                if due > .now { try await Task.sleep(until: due) }
                var taken: [ContinuousClock.Instant] = []
                while due <= .now {
                    taken.append(due)
                    due += interval
                }
                tally.dropped += max(0, taken.count - Self.waiting)
                taken = taken.suffix(Self.waiting)
                let sent = taken.map {
                    chain.append(
                        frames.next(&position, asked: asked),
                        milliseconds: UInt32(($0 - zero) / .milliseconds(1)))
                }
                let answer = try await client.request(
                    "POST", "/v1/capture/frames", type: FrameBatch.contentType,
                    body: FrameBatch.encode(sent), bearer: token)
                guard answer.status == 200 else {
                    throw LoadError("a frame was refused: \(answer.bodyText)")
                }
                let now = ContinuousClock.now
                tally.milliseconds += taken.map { (now - $0) / .milliseconds(1) }
                asked = answer.text("action")
                if let advice = answer.first("guidance") {
                    tally.guidance[advice, default: 0] += 1
                }
                if let status = answer.text("status"), status != "open" {
                    tally.ended += 1
                    if status == "passed" { tally.passed += 1 }
                    return
                }
            }
        }
    }
}
