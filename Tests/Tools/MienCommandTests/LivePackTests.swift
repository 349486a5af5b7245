import Foundation
import MienCore
import MienFace
import MienModels
import MienTesting
import Testing

/// Live sessions with the networks of `mien-default-2`, whose likeness differs from that of
/// `mien-basic-1`.
@Suite struct LivePackTests {
    private static let better: ModelPack? = try? PackLibrary(
        folder: TemporaryHome.Machine.folder.appending(path: "packs")
    ).pack(PackLibrary.betterID)

    @Test(
        .needsFaces, .enabled(if: better != nil, "mien-default-2 is not installed"),
        arguments: [[LivenessAction.blink, .turnLeft], [.blink]])
    func `a live face that blinks and turns passes with mien-default-2`(actions: [LivenessAction])
        async throws
    {
        let pack = try #require(Self.better),
            hasNetwork = pack.manifest.file(of: .presentationAttack) != nil
        let clips = try await ClipMaker(TemporaryHome()),
            engine = try FaceEngine(pack: pack, looksForAttacks: hasNetwork)
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
}
