import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienTesting
import Synchronization
import Testing

@testable import MienServer

/// Reads frames that describe their content in words, for live captures without pictures and
/// networks.
struct WordReader: LiveFrameReader {
    /// The content of a frame.
    struct Words: Codable {
        /// The presentation-attack network's score; 2 if the face is too large to be judged.
        var attack: Double?
        var person = 0
        var yaw: Float = 0, pitch: Float = 0
        var eyes = 1.0, mouth = 0.05, zoom = 1.0
        /// The position of the face's middle, as in ``MadeLook``.
        var x = 320.0
        var isFlat = false
        /// Distinguishes the gray patches of different recordings.
        var seed: UInt64 = 1
        var number = 0
        /// The light of the parts of the face, and of the wall: see ``WordReader/Words/light(_:)``.
        var lights: [Double]?

        /// The person's picture with noise for this frame of this recording. The noise makes the
        /// hashes of two frames differ in about 50 of 256 bits; 24 bits still count as the same
        /// picture, and 128 mean nothing in common.
        var patch: FacePatch {
            var own = SeededGenerator(seed: 1 << 63 | UInt64(person)),
                noise = SeededGenerator(seed: seed << 20 | UInt64(number))
            let brightness = (0..<FacePatch.side * FacePatch.side).map { _ -> UInt8 in
                let skin: UInt64 = own.next() % 160, grain: UInt64 = noise.next() % 81
                return UInt8(8 + skin + grain)
            }
            return FacePatch(brightness: brightness)
        }

        mutating func light(_ sample: LightSample?) {
            lights = sample.map { sample in
                sample.regions.flatMap { [$0.light.red, $0.light.green, $0.light.blue, $0.facing] }
                    + (sample.background.map { [$0.red, $0.green, $0.blue] } ?? [])
            }
        }

        var light: LightSample? {
            guard let lights else { return nil }
            let (parts, rest) = (lights.count / 4, lights.count % 4)
            return LightSample(
                regions: (0..<parts).map { part in
                    let v = Array(lights[4 * part..<4 * part + 4])
                    return .init(LinearLight(v[0], v[1], v[2]), facing: v[3])
                },
                background: rest == 3
                    ? LinearLight(lights[4 * parts], lights[4 * parts + 1], lights[4 * parts + 2])
                    : nil)
        }

        var bytes: [UInt8] { [UInt8](try! JSONEncoder().encode(self)) }
    }

    /// Whether the scores of ``Words/attack`` are judged.
    var presentation = PresentationMode.off

    func liveReading(of bytes: [UInt8], index: Int, at time: Duration, for share: WorkShare)
        async throws -> FaceReading
    {
        let words = try JSONDecoder().decode(Words.self, from: Data(bytes))
        let look = MadeLook(
            person: words.person, yaw: words.yaw, pitch: words.pitch, eyes: words.eyes,
            mouth: words.mouth, zoom: words.zoom, x: words.x, isFlat: words.isFlat)
        let made = FaceReading.made(
            look, index: index, at: time, hash: UInt64(words.number) << 8 | words.seed)
        guard let face = made.face else { return made }
        let live = LiveFace(
            box: face.box, mesh: face.mesh, pose: face.pose, eyes: face.eyes, quality: face.quality,
            likeness: face.likeness, patch: words.patch,
            presentationAttack: words.attack.map {
                PresentationAttackScore(
                    $0 > 1 ? .closed(.context) : .attack($0), limit: 0.5, strictLimit: 0.3)
            }, light: words.light)
        return FaceReading(
            index: index, frame: made.frame, contentHash: made.contentHash, faceCount: 1, face: live
        )
    }

    /// Returns an entry whose descriptor is far from every other person's.
    func entry(of reading: FaceReading, for share: WorkShare) async throws -> FaceTemplate.Entry? {
        guard let likeness = reading.face?.likeness else { return nil }
        let person = likeness.person
        var generator = SeededGenerator(seed: UInt64(7 + person))
        let values = (0..<Installed.dimensions).map { _ in Float(generator.normal()) },
            norm = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return try FaceTemplate.Entry(
            descriptor: FaceDescriptor(values.map { $0 / norm }), quality: 80, pose: .frontal)
    }
}

extension WordReader {
    /// No test of these words has people of other packs.
    func entries(of reading: FaceReading, forPacks packs: [PackID], share: WorkShare) async throws
        -> [PackID: FaceTemplate.Entry]?
    { [:] }
}

/// Reads frames as ``WordReader`` does, but has no turn for an extraction the first few times.
final class BusyReader: LiveFrameReader {
    private let words = WordReader()
    private let refusals: Mutex<Int>

    init(refusals: Int) { self.refusals = Mutex(refusals) }

    func liveReading(of bytes: [UInt8], index: Int, at time: Duration, for share: WorkShare)
        async throws -> FaceReading
    {
        try await words.liveReading(of: bytes, index: index, at: time, for: share)
    }

    func entry(of reading: FaceReading, for share: WorkShare) async throws -> FaceTemplate.Entry? {
        let isBusy = refusals.withLock { left in
            defer { left -= 1 }
            return left > 0
        }
        if isBusy { throw ServerBusy() }
        return try await words.entry(of: reading, for: share)
    }

    func entries(of reading: FaceReading, forPacks packs: [PackID], share: WorkShare) async throws
        -> [PackID: FaceTemplate.Entry]?
    { [:] }
}

extension FaceDescriptor {
    /// The person that `FaceReading.made` was called for.
    var person: Int {
        (0..<8).first {
            self.cosine(
                with: try! FaceDescriptor((0..<8).map { [number = $0] in number == $0 ? 1 : 0 }))
                > 0.5
        } ?? 0
    }
}

/// A person in front of a camera whose app sends ten frames per second to a capture session, by the
/// test's clock.
struct LiveStage {
    /// The server that gets the frames. Another one than the one that began the session passes them on.
    var server: TestServer
    let token: String
    var chain: FrameChain
    var number = 0
    var seed: UInt64
    var answer: CaptureAnswer
    /// How many frames were sent again because the server was busy.
    var repeated = 0

    private static let transport = AsyncHTTPTransport()

    /// Begins the session.
    init(_ server: TestServer, _ token: Sensitive<String>, seed: UInt64 = 1) async throws {
        (self.server, self.token, self.seed) = (server, token.use { $0 }, seed)
        let (status, body) = try await Self.send(
            server, self.token, "start", "application/json", [])
        try #require(status == 200, "\(body)")
        answer = try body.decoded(as: CaptureAnswer.self)
        chain = FrameChain(nonce: try #require(answer.nonce.flatMap { Base64URL.decode($0) }))
    }

    static func send(
        _ server: TestServer, _ token: String, _ path: String, _ type: String, _ body: [UInt8]
    ) async throws -> (Int, JSONValue) {
        let response = try await transport.send(
            HTTPTransportRequest(
                method: .post, url: "\(server.address)/v1/capture/\(path)",
                headers: ["authorization": "Bearer \(token)", "content-type": type],
                body: body, timeout: .seconds(60)))
        return (
            response.status,
            try JSONText.parse(response.body, limits: .init(maxBytes: 1 << 20, maxDepth: 32))
        )
    }

    var elapsed: UInt32 { UInt32(number * 100) }

    /// Returns the next frame, which shows `words`, a tenth of a second after the last one.
    mutating func frame(_ words: WordReader.Words) -> LinkedFrame {
        number += 1
        server.time.advance(.milliseconds(100))
        var words = words
        (words.number, words.seed) = (number, seed)
        return chain.append(words.bytes, milliseconds: elapsed)
    }

    func post(_ frames: [LinkedFrame]) async throws -> (status: Int, body: JSONValue) {
        let (status, body) = try await Self.send(
            server, token, "frames", FrameBatch.contentType, FrameBatch.encode(frames))
        return (status, body)
    }

    mutating func show(_ words: WordReader.Words) async throws {
        let frame = frame(words)
        var (status, body) = try await post([frame])
        if status == 503 {
            repeated += 1
            (status, body) = try await post([frame])
        }
        try #require(status == 200, "\(body)")
        answer = try body.decoded(as: CaptureAnswer.self)
    }

    /// Performs the requested actions until the session has ended, `atMost` frames were sent, or
    /// `isEnough` accepts an answer.
    mutating func play(
        _ person: Int = 0, atMost: Int = 400,
        _ doing: (_ asked: LivenessAction?, _ since: Double, inout WordReader.Words) -> Void =
            LiveStage.obey,
        until isEnough: (CaptureAnswer) -> Bool = { _ in false }
    ) async throws {
        var asked: LivenessAction?, since = number
        for _ in 0..<atMost where answer.isOpen && !isEnough(answer) {
            let now = answer.action.flatMap { LivenessAction(rawValue: $0.rawValue) }
            if now != asked { (asked, since) = (now, number) }
            var words = WordReader.Words(person: person)
            doing(asked, Double(number - since) / 10, &words)
            try await show(words)
        }
    }

    /// Performs an action 0.3 s after it is requested, at the speed of a person.
    static func obey(_ asked: LivenessAction?, _ since: Double, _ words: inout WordReader.Words) {
        let done = min(1, max(0, (since - 0.3) / 0.4))
        switch asked {
        case nil, .keepStill: break
        case .blink: words.eyes = done > 0 && done < 0.8 ? 0.2 : 1
        case .turnLeft: words.yaw = Float(40 * done)
        case .turnRight: words.yaw = Float(-40 * done)
        case .lookUp: words.pitch = Float(35 * done)
        case .lookDown: words.pitch = Float(-35 * done)
        case .openMouth: words.mouth = 0.05 + 0.6 * done
        case .comeCloser: words.zoom = 1 + 0.5 * done
        }
    }
}
