import Foundation
import MienCore
import MienFace
import MienMedia
import MienModels
import MienTesting

/// Runs trials and collects their results.
struct LivenessTrials {
    let engine: FaceEngine
    let photos: PersonPhotos
    /// The mode of the presentation check.
    let presentation: PresentationMode
    static let framesPerSecond = 12.0
    /// Default thresholds, with shorter timeouts than the default, so that trials without a
    /// reaction end sooner.
    private let settings: VerificationSettings

    private(set) var tallies: [String: [String: Int]] = [:]
    /// Receives every trial's kind and session.
    var onTrial: ((_ person: Int?, _ kind: String, _ session: LivenessSession) -> Void)?
    /// The person whose photo attacks are being made from.
    private var person: Int?
    /// Where lines go.
    var output = FileHandle.standardOutput

    init(engine: FaceEngine, photos: PersonPhotos, presentation: PresentationMode) {
        (self.engine, self.photos, self.presentation) = (engine, photos, presentation)
        settings = try! VerificationSettings(
            blinkTimeout: .milliseconds(2500), actionTimeout: .seconds(2),
            presentation: presentation)
    }

    /// Plays attacks made from photos of `people` people, excluding the first `skipped` photos. The
    /// same numbers draw the same challenges.
    mutating func attacks(people: Int, skipping skipped: Int) async throws {
        var number = skipped, used = 0
        while used < people, number < photos.files.count {
            let photo = try photos.photo(number)
            number += 1
            guard let face = try await usable(photo) else { continue }
            used += 1
            let seed = UInt64(used)
            person = number
            var generator = SeededGenerator(seed: seed)
            let active = LivenessChallenge.drawn(using: &generator)
            func head(_ seed: UInt64) -> SolidHead {
                SolidHead(photo, mesh: face.mesh, reach: 60, seed: seed)
            }
            for skill in FlatPhoto.Skill.allCases {
                let actor = FlatPhoto(
                    photo, mesh: face.mesh, skill: skill, reach: skill == .tilted ? 60 : 45,
                    seed: seed)
                try await trial("attack \(skill.rawValue) passive", actor, .passive)
                // A picture that does not turn gives no new information in the other mode.
                if ![.still, .held, .zoomed].contains(skill) {
                    try await trial("attack \(skill.rawValue) active", actor, active)
                }
            }
            try await trial("attack on_screen active", ShownOnScreen(head(seed)), active)
            try await trial("attack on_screen passive", ShownOnScreen(head(seed)), .passive)
            try await trial(
                "attack on_large_screen passive", ShownOnScreen(head(seed), bezel: 0, margin: 0),
                .passive)
            try await trial(
                "attack on_varied_screen active",
                ShownOnScreen(head(seed), variedBy: seed), active)
            try await trial(
                "attack on_varied_screen passive",
                ShownOnScreen(head(seed), variedBy: seed), .passive)
            for (mode, challenge) in [("active", active), ("passive", .passive)] {
                try await trial(
                    "attack rephotographed \(mode)",
                    Rephotographed(
                        ShownOnScreen(head(seed), variedBy: seed + 900), variedBy: seed), challenge)
                try await trial(
                    "attack printed_mask \(mode)", PrintedMask(head(seed), variedBy: seed),
                    challenge)
            }
            try await trial("animated photo active", head(seed), active)
            try await trial("animated photo passive", head(seed), .passive)

            let other = [
                LivenessAction.turnLeft: LivenessAction.turnRight, .turnRight: .lookUp,
                .lookUp: .lookDown, .lookDown: .turnLeft, .blink: .turnLeft,
                .openMouth: .turnRight, .comeCloser: .turnLeft,
            ]
            try await trial(
                "attack wrong_order active", Disobedient(head(seed)) { other[$0] ?? $0 }, active)
            // A recording of a passed session with another challenge.
            let recorded = try LivenessChallenge(steps: [
                .init(.turnLeft, pauseMilliseconds: 500), .init(.lookUp, pauseMilliseconds: 700),
            ])
            let clip = try await recording(of: head(seed), recorded)
            let asked =
                active.actions == recorded.actions
                ? try LivenessChallenge(steps: recorded.steps.reversed()) : active
            try await trial(
                "attack replay active", RecordedClip(clip, framesPerSecond: Self.framesPerSecond),
                asked)

            var second: (RGBImage, AnalyzedFace)?
            while second == nil {
                let photo = try photos.photo(number)
                number += 1
                if let face = try await usable(photo) { second = (photo, face) }
            }
            // The first actor performs the still phase; the second performs the rest.
            let stand = SolidHead(second!.0, mesh: second!.1.mesh, reach: 60, seed: seed + 500)
            let splice = Splice(head(seed), stand) { asked, time in
                asked != .keepStill && asked != nil && time > 1
            }
            try await trial("attack splice active", splice, active)
            try await trial("attack splice passive", splice, .passive)
        }
    }

    private func usable(_ photo: RGBImage) async throws -> AnalyzedFace? {
        guard let face = try await engine.analyze(photo).main, face.quality.score >= 55,
            abs(face.pose.yaw) < 10,
            (face.quality[.singleFace]?.value ?? 1) < 0.4
        else { return nil }
        return face
    }

    private func recording(of actor: some LivenessActor, _ challenge: LivenessChallenge)
        async throws -> [RGBImage]
    {
        try await play(actor, challenge, framesPerSecond: Self.framesPerSecond, keepingFrames: true)
            .frames
    }

    mutating func trial(
        _ kind: String, _ actor: some LivenessActor, _ challenge: LivenessChallenge,
        framesPerSecond: Double = Self.framesPerSecond
    ) async throws {
        let (session, _) = try await play(
            actor, challenge, framesPerSecond: framesPerSecond, keepingFrames: false)
        let outcome =
            session.refusals.map { $0.isEmpty ? "ACCEPTED" : $0[0].rawValue } ?? "source_ended"
        tallies[kind, default: [:]][outcome, default: 0] += 1
        onTrial?(kind.contains("clip") ? nil : person, kind, session)
        let failed = session.checks.filter { !$0.hasPassed }.map(\.check.rawValue).joined(
            separator: ",")
        let measured = session.checks.compactMap { check in
            check.measured.map { "\(check.check.rawValue)=\(($0 * 1000).rounded() / 1000)" }
        }.joined(separator: " ")
        say(
            "\(kind): \(challenge.actions.map(\.rawValue).joined(separator: ",")): \(outcome) [\(failed)] \(measured)"
        )
    }

    private func play(
        _ actor: some LivenessActor, _ challenge: LivenessChallenge, framesPerSecond: Double,
        keepingFrames: Bool
    ) async throws -> (session: LivenessSession, frames: [RGBImage]) {
        try await LivenessSession.played(
            actor, challenge, settings: settings, framesPerSecond: framesPerSecond,
            seconds: 15, reader: engine, keepingFrames: keepingFrames)
    }

    func printTable() {
        say("\nkind | tried | accepted | refusals")
        for (kind, outcomes) in tallies.sorted(by: { $0.key < $1.key }) {
            let reasons = outcomes.filter { $0.key != "ACCEPTED" }.sorted { $0.value > $1.value }
                .map { "\($0.key) \($0.value)" }
            say(
                "\(kind) | \(outcomes.values.reduce(0, +)) | \(outcomes["ACCEPTED"] ?? 0) | \(reasons.joined(separator: ", "))"
            )
        }
    }

    func say(_ line: String) { output.write(Data((line + "\n").utf8)) }
}
