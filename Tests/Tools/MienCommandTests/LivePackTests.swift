import Foundation
import MienCore
import MienFace
import MienMedia
import MienModels
import MienTesting
import Testing

/// Live sessions with the networks of each pack, whose likeness differs.
@Suite(.needsFaces) struct LivePackTests {
    @Test(arguments: TemporaryHome.packs, [[LivenessAction.blink, .turnLeft], [.blink]])
    func `a live face that blinks and turns passes`(pack: String, actions: [LivenessAction])
        async throws
    {
        let home = try TemporaryHome(pack: pack), loaded = try ModelPack(folder: home.pack)
        let hasNetwork = loaded.manifest.file(of: .presentationAttack) != nil
        let clips = try await ClipMaker(home),
            engine = try TestEngines.engine(home.pack, looksForAttacks: hasNetwork)
        let challenge =
            actions == [.blink]
            ? LivenessChallenge.passive
            : try LivenessChallenge(steps: actions.map { .init($0, pauseMilliseconds: 500) })
        let (session, _) = try await LivenessSession.played(
            SolidHead(clips.photo, mesh: clips.mesh, reach: 40), challenge,
            settings: VerificationSettings(
                mode: actions == [.blink] ? .livenessPassive : .livenessActive,
                presentation: hasNetwork ? .require : .off),
            framesPerSecond: 10, seconds: 20, reader: engine)
        #expect(session.refusals == [], "\(session.checks)")
        let presentation = session.checks.first { $0.check == .presentationAttack }
        #expect((presentation?.frames ?? 0 >= 10) == hasNetwork)
    }

    /// One plan of an enrollment. Fewer frames than four end sooner and show no more.
    struct Plan: CustomTestStringConvertible {
        var mode: FaceCaptureMode, views: EnrollmentSettings.Views, frames: Int
        var testDescription: String { "\(mode.rawValue), \(views), \(frames)" }

        var settings: EnrollmentSettings {
            get throws {
                try EnrollmentSettings(
                    mode: mode, views: views, countdownToCapture: .zero, framesToEnroll: frames)
            }
        }
        static let all = [
            Plan(mode: .livenessPassive, views: .full, frames: 2),
            Plan(mode: .livenessPassive, views: .simple, frames: 4),
            Plan(mode: .image, views: .full, frames: 1),
        ]
    }

    /// Plays people to an enrollment, ten frames a second. The second takes the place of the first
    /// as soon as `taken` frames were taken.
    private func verdict(
        _ plan: Plan, _ engine: FaceEngine, _ first: SolidHead, then second: SolidHead? = nil,
        after taken: Int = 1
    ) async throws -> EnrollmentVerdict? {
        var (first, second) = (first, second)
        var enrollment = try FaceEnrollment(
            capture: try #require(CaptureID("cap_1")), settings: plan.settings,
            challenge: plan.mode == .image ? nil : .passive)
        var asked: LivenessAction?, count = 0
        for index in 0..<300 where enrollment.verdict == nil {
            let time = Double(index) / 10, own = first.image(asked: asked, at: time)
            let other = second?.image(asked: asked, at: time)
            let reading = try await engine.reading(
                of: Frame(image: count >= taken ? other ?? own : own, time: .seconds(time)),
                index: index)
            let event = enrollment.handle(reading)
            if enrollment.wantsExtraction {
                enrollment.extracted(try await engine.entry(of: reading))
                count += 1
            }
            asked = event.action ?? ClipMaker.turn(event.view)
        }
        return enrollment.verdict
    }

    @Test(arguments: TemporaryHome.packs, Plan.all)
    func `a person who blinks, turns, and nods is enrolled`(pack: String, plan: Plan) async throws {
        let home = try TemporaryHome(pack: pack)
        // Lids drawn shut show as a blink only on a photo of wide open eyes.
        for name in plan.mode == .image ? ["obama", "biden"] : ["obama"] {
            let clips = try await ClipMaker(home, name)
            let verdict = try await verdict(
                plan, clips.engine, SolidHead(clips.photo, mesh: clips.mesh, reach: 40))
            #expect(verdict?.isCaptured == true, "\(name): \(verdict?.refusals ?? [])")
        }
    }

    @Test(arguments: TemporaryHome.packs, Plan.all)
    func `another person who takes over is refused, whenever it happens`(pack: String, plan: Plan)
        async throws
    {
        let home = try TemporaryHome(pack: pack)
        let first = try await ClipMaker(home, "obama"), second = try await ClipMaker(home, "biden")
        for taken in [1, plan.views == .full ? plan.frames + 1 : plan.frames - 1] {
            let verdict = try await verdict(
                plan, first.engine, SolidHead(first.photo, mesh: first.mesh, reach: 40),
                then: SolidHead(second.photo, mesh: second.mesh, reach: 40), after: taken)
            #expect(
                verdict?.refusals.first == .faceChanged,
                "after \(taken): \(verdict?.refusals ?? []), captured \(verdict?.isCaptured == true)"
            )
        }
    }
}
