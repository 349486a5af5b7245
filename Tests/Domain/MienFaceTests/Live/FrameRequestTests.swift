import MienPixels
import MienTesting
import Testing

@testable import MienFace

@Suite("Frames that are only followed")
struct FrameRequestTests {
    private static let settings = try! VerificationSettings(mode: .livenessActive)
    private static let challenges: [LivenessChallenge] = {
        var generator = TestSeed.generator(11)
        return (0..<60).map { _ in LivenessChallenge.drawn(using: &generator) }
    }()

    @Test("a person passes, although many frames are only followed", arguments: [10, 25])
    func genuine(framesPerSecond: Int) {
        var frames = 0, followed = 0
        for challenge in Self.challenges {
            let played = LivenessSession.played(
                MadePerson(), challenge, settings: Self.settings, framesPerSecond: framesPerSecond,
                following: true)
            #expect(played.session.refusals == [], "\(challenge.actions)")
            #expect(played.session.checks.allSatisfy { $0.hasPassed })
            frames += played.readings.count
            followed += played.readings.count { $0.face?.isExamined == false }
        }
        #expect(Double(followed) > 0.25 * Double(frames), "\(followed) of \(frames)")
    }

    /// The pictures of an attacker who knows which frames are examined.
    enum Trick: CaseIterable {
        /// Another person, who performs the action, in every frame that is only followed.
        case other
        /// The same person, who performs it there, but keeps still in the others.
        case own
        /// Only frames that are followed as long as possible.
        case still
    }

    @Test(
        "an attacker who knows which frames are examined gains nothing", arguments: Trick.allCases)
    func interleaved(trick: Trick) {
        for challenge in Self.challenges {
            var session = LivenessSession(challenge: challenge, settings: Self.settings)
            var asked: LivenessAction?, movement = MadePerson(trick == .other ? 1 : 0)
            for index in 0..<600 where session.refusals == nil {
                let time = Duration.milliseconds(40 * index)
                let rest = FaceReading.made(MadeLook(), index: index, at: time)
                let moved = movement.reading(asked: asked, index: index, at: time)
                var shown = rest
                if session.request.isFollowed(rest.face, at: time) {
                    let face = trick == .still ? rest.face : moved.face
                    shown = FaceReading(
                        index: index, frame: rest.frame, contentHash: rest.contentHash,
                        faceCount: 1,
                        // Even if the reader did not notice that the face moves.
                        face: face?.followed)
                }
                asked = session.handle(shown).action
            }
            #expect(session.refusals?.isEmpty == false, "\(challenge.actions)")
        }
    }

    @Test("frames that are not examined at all lead nowhere")
    func neverExamined() throws {
        for challenge in Self.challenges.prefix(10) {
            var session = LivenessSession(challenge: challenge, settings: Self.settings)
            var person = MadePerson(), asked: LivenessAction?
            for index in 0..<250 where session.refusals == nil {
                let reading = person.reading(
                    asked: asked, index: index, at: .milliseconds(40 * index))
                asked =
                    session.handle(
                        FaceReading(
                            index: index, frame: reading.frame, contentHash: reading.contentHash,
                            faceCount: 1, face: reading.face?.followed)
                    ).action
            }
            #expect(session.refusals == nil)
            #expect(session.progress <= 25 && session.checks.allSatisfy { $0.frames ?? 0 == 0 })
        }
    }

    @Test("a face that moved, a finished action, and a return to the front are examined")
    func notable() throws {
        let rest = try face(MadeLook())
        let at = RestingFace(
            opening: 0.23, turn: rest.mesh.turn, nod: rest.mesh.nod, mouth: rest.mesh.mouthOpening,
            extent: rest.mesh.extent)
        func request(
            examined: FaceMesh, action: LivenessAction? = nil, isReturning: Bool = false
        ) -> FrameRequest {
            FrameRequest(
                rest: at,
                following: .init(
                    mesh: examined, box: rest.box, examined: examined, due: .milliseconds(250),
                    rest: at, action: action, isReturning: isReturning,
                    limits: LivenessLimits(threshold: 0)))
        }
        let still = request(examined: rest.mesh)
        #expect(!still.isNotable(rest.mesh))
        #expect(still.followed(at: .milliseconds(249)) != nil)
        #expect(still.followed(at: .milliseconds(250)) == nil)
        for look in [
            MadeLook(yaw: 15), MadeLook(yaw: -15), MadeLook(pitch: 15), MadeLook(mouth: 0.3),
            MadeLook(zoom: 1.2), MadeLook(zoom: 0.8),
        ] {
            #expect(try still.isNotable(face(look).mesh), "\(look)")
        }
        let turned = try face(MadeLook(yaw: 42)).mesh
        #expect(!request(examined: turned).isNotable(turned))
        #expect(
            request(examined: turned, action: turned.turn > 0 ? .turnLeft : .turnRight)
                .isNotable(turned))
        #expect(!request(examined: turned, isReturning: true).isNotable(turned))
        #expect(request(examined: rest.mesh, isReturning: true).isNotable(rest.mesh))
        #expect(FrameRequest.everything.isNotable(rest.mesh))
        #expect(FrameRequest.everything.followed(at: .zero) == nil)
        // The surface is judged only from the front.
        #expect(still.judgesSurface(of: rest.mesh) && !still.judgesSurface(of: turned))
        #expect(FrameRequest.everything.judgesSurface(of: turned))
    }

    @Test("only the mesh runs on a face that is followed, and all networks if it is lost")
    func networks() throws {
        let networks = ScriptedFaceNetworks(), image = RGBImage.noise(width: 400, height: 300)
        let geometry = FaceGeometry.defaultPack
        networks.answer(
            .detectorShortRange,
            geometry.detectorShortRange.outputs(
                showing: [.made(center: Point(x: 200, y: 150), width: 120)], inPictureOf: 400,
                by: 300))
        networks.answer(.mesh, SyntheticHead().outputs())
        networks.answer(.iris, [[Float](repeating: 1, count: 213)])
        networks.answer(.descriptor, [(0..<128).map { Float($0) - 60 }])
        let analyzer = LiveAnalyzer(FaceAnalyzer(geometry))
        func reading(_ milliseconds: Int, _ request: FrameRequest) throws -> LiveFace {
            try #require(
                analyzer.reading(
                    of: Frame(image: image, time: .milliseconds(milliseconds)), index: 0,
                    for: request, with: networks
                ).face)
        }
        let first = try reading(0, .everything)
        #expect(first.isExamined && first.likeness != nil)
        let whole = networks.runs
        #expect(whole.contains(.descriptor) && whole.first == .detectorShortRange)
        // The scripted mesh fills the same part of any crop.
        let mesh = try #require(
            try FaceAnalyzer(geometry).follow(first.mesh, in: image, with: networks)
        ).mesh
        let at = RestingFace(
            opening: 0.23, turn: mesh.turn, nod: mesh.nod, mouth: mesh.mouthOpening,
            extent: mesh.extent)
        let request = FrameRequest(
            rest: at,
            following: .init(
                mesh: first.mesh, box: first.box, examined: mesh, due: .milliseconds(250),
                rest: at, action: nil, isReturning: false, limits: LivenessLimits(threshold: 0)))
        let second = try reading(100, request)
        #expect(networks.runs == whole + [.mesh, .mesh])
        #expect(!second.isExamined && second.likeness == nil && second.texture == nil)
        #expect(second.patch != nil && second.quality[.eyes] == nil)
        // The next one is due.
        #expect(try reading(250, request).isExamined)
        #expect(networks.runs == whole + [.mesh, .mesh] + whole)
    }

    private func face(_ look: MadeLook) throws -> LiveFace {
        try #require(FaceReading.made(look, index: 0, at: .zero).face)
    }
}
