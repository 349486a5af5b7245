internal import Foundation
internal import MienFace
internal import MienImage
internal import MienModels
internal import MienPixels
internal import MienTesting

/// Trials, and what came of them.
struct Bench {
    let engine: FaceEngine
    let photos: Photos
    static let framesPerSecond = 12.0
    /// Default thresholds. Shorter time-outs than the default, so that who does nothing is done with sooner.
    static let settings = try! VerificationSettings(blinkTimeout: .milliseconds(2500), actionTimeout: .seconds(2))

    private(set) var tallies: [String: [String: Int]] = [:]

    /// Attacks from photos, `people` people; the same numbers draw the same challenges.
    mutating func attacks(people: Int) async throws {
        var number = 0, used = 0
        while used < people, number < photos.files.count {
            let photo = try photos.photo(number)
            number += 1
            guard let face = try await usable(photo) else { continue }
            used += 1
            let seed = UInt64(used)
            var generator = SeededGenerator(seed: seed)
            let active = LivenessChallenge.drawn(using: &generator)
            func head(_ seed: UInt64) -> SolidHead { SolidHead(photo, mesh: face.mesh, reach: 60, seed: seed) }
            for skill in FlatPhoto.Skill.allCases {
                let actor = FlatPhoto(photo, mesh: face.mesh, skill: skill, reach: skill == .tilted ? 60 : 45, seed: seed)
                try await trial("attack \(skill.rawValue) passive", actor, .passive)
                // A picture that does not turn says no more in the other mode.
                if ![.still, .held, .zoomed].contains(skill) { try await trial("attack \(skill.rawValue) active", actor, active) }
            }
            try await trial("animated photo active", head(seed), active)
            try await trial("animated photo passive", head(seed), .passive)

            let other = [
                LivenessAction.turnLeft: LivenessAction.turnRight, .turnRight: .lookUp, .lookUp: .lookDown, .lookDown: .turnLeft, .blink: .turnLeft,
                .openMouth: .turnRight, .comeCloser: .turnLeft,
            ]
            try await trial("attack wrong_order active", Disobedient(head(seed)) { other[$0] ?? $0 }, active)
            // A recording of what passed for another challenge.
            let recorded = try LivenessChallenge(steps: [.init(.turnLeft, pauseMilliseconds: 500), .init(.lookUp, pauseMilliseconds: 700)])
            let clip = try await recording(of: head(seed), recorded)
            let asked = active.actions == recorded.actions ? try LivenessChallenge(steps: recorded.steps.reversed()) : active
            try await trial("attack replay active", RecordedClip(clip, framesPerSecond: Self.framesPerSecond), asked)

            var second: (RGBImage, AnalysedFace)?
            while second == nil {
                let photo = try photos.photo(number)
                number += 1
                if let face = try await usable(photo) { second = (photo, face) }
            }
            // The first answers the still phase, the second what comes after.
            let stand = SolidHead(second!.0, mesh: second!.1.mesh, reach: 60, seed: seed + 500)
            let splice = Splice(head(seed), stand) { asked, time in asked != .keepStill && asked != nil && time > 1 }
            try await trial("attack splice active", splice, active)
            try await trial("attack splice passive", splice, .passive)
        }
    }

    /// People, as they were filmed: folders `NAME`, of PNG files that sort by time. What is in each is known here.
    mutating func clips(in folder: String) async throws {
        func frames(_ name: String, _ range: ClosedRange<Int>, x: Int = 0, width: Int? = nil) throws -> [RGBImage] {
            try range.map { i in
                let image = try ImageFile.decode("\(folder)/\(name)/\(String(format: "%05d", i)).png")
                return image.reduced(by: 1, x: x, y: 0, width: width ?? image.width, height: image.height)
            }
        }
        let couple = "head-pose-face-detection-female-and-male", man = "head-pose-face-detection-male"
        // Blinks of their own: a clip that is played once, and one whose last frames run back, so that the eyes open again.
        for start in [14, 17, 20, 23, 26] {
            try await trial(
                "genuine clip, own blink, passive", RecordedClip(try frames(couple, start...56, x: 240, width: 240), framesPerSecond: 12), .passive)
        }
        for start in [34, 37, 40, 43] {
            let clip = try frames(man, start...62)
            // Running back must not be the very pictures again.
            var generator = SeededGenerator(seed: UInt64(start))
            let back = clip.dropLast().reversed().prefix(8).map { $0.withCameraNoise(1, using: &generator) }
            try await trial("genuine clip, own blink, passive", RecordedClip(clip + back, framesPerSecond: 12), .passive)
        }
        // Blinks drawn into their frames, 1.4 s and more after the start.
        let windows = [
            (man, 1, 25, 12.0), (man, 8, 32, 12), (man, 15, 39, 12), (man, 22, 46, 12), (man, 29, 53, 12), ("asl-sorry", 26, 73, 30),
            ("asl-milk", 13, 51, 30), ("asl-sorry", 28, 73, 30),
        ]
        for (name, first, last, rate) in windows {
            for moment in [1.35, 1.5] {
                let clip = try await blinking(try frames(name, first...last), at: moment, framesPerSecond: rate)
                try await trial("genuine clip, drawn blink, passive", RecordedClip(clip, framesPerSecond: rate), .passive, framesPerSecond: rate)
            }
        }
        for start in [14, 18, 22] {
            let clip = try await blinking(try frames(couple, start...41, x: 240, width: 240), at: 1.4, framesPerSecond: 12)
            try await trial("genuine clip, drawn blink, passive", RecordedClip(clip, framesPerSecond: 12), .passive)
        }
        // A full turn to either side, cut to be shown on cue.
        let turn = try frames("head-pose-face-detection-female", 1...23)
        let left = Array(turn[9...19]), right = Array(turn[19...22]) + turn[19...21].reversed()
        for (seed, actions) in [[LivenessAction.turnLeft], [.turnRight], [.turnLeft, .turnRight], [.turnRight, .turnLeft]].enumerated() {
            let actor = CuedClip(rest: turn[19], pieces: [.turnLeft: left, .turnRight: right], framesPerSecond: 12, seed: UInt64(seed))
            let challenge = try LivenessChallenge(steps: actions.map { .init($0, pauseMilliseconds: 500) })
            try await trial("genuine clip, turns on cue, active", actor, challenge)
        }
    }

    /// Eyes drawn shut for 0.15 s.
    private func blinking(_ frames: [RGBImage], at moment: Double, framesPerSecond: Double) async throws -> [RGBImage] {
        var out: [RGBImage] = []
        for (i, frame) in frames.enumerated() {
            let amount = max(0, min(1, 1.7 - abs(Double(i) / framesPerSecond - moment) / 0.08))
            guard amount > 0, let mesh = try await engine.analyse(frame, search: .near).main?.mesh else {
                out.append(frame)
                continue
            }
            out.append(ClosedEyes(of: mesh, by: amount).drawn(on: frame))
        }
        return out
    }

    private func usable(_ photo: RGBImage) async throws -> AnalysedFace? {
        guard let face = try await engine.analyse(photo).main, face.quality.score >= 55, abs(face.pose.yaw) < 10,
            (face.quality[.singleFace]?.value ?? 1) < 0.4
        else { return nil }
        return face
    }

    private func recording(of actor: some LivenessActor, _ challenge: LivenessChallenge) async throws -> [RGBImage] {
        try await play(actor, challenge, framesPerSecond: Self.framesPerSecond, keepingFrames: true).frames
    }

    private mutating func trial(
        _ kind: String, _ actor: some LivenessActor, _ challenge: LivenessChallenge, framesPerSecond: Double = Self.framesPerSecond
    ) async throws {
        let (session, _) = try await play(actor, challenge, framesPerSecond: framesPerSecond, keepingFrames: false)
        let outcome = session.refusals.map { $0.isEmpty ? "ACCEPTED" : $0[0].rawValue } ?? "source_ended"
        tallies[kind, default: [:]][outcome, default: 0] += 1
        let failed = session.checks.filter { !$0.hasPassed }.map(\.check.rawValue).joined(separator: ",")
        let measured = session.checks.compactMap { check in
            check.measured.map { "\(check.check.rawValue)=\(($0 * 1000).rounded() / 1000)" }
        }.joined(separator: " ")
        say("\(kind): \(challenge.actions.map(\.rawValue).joined(separator: ",")): \(outcome) [\(failed)] \(measured)")
    }

    private func play(
        _ actor: some LivenessActor, _ challenge: LivenessChallenge, framesPerSecond: Double, keepingFrames: Bool
    ) async throws -> (session: LivenessSession, frames: [RGBImage]) {
        try await engine.run { analyzer, networks in
            let live = LiveAnalyzer(analyzer)
            var actor = actor, session = LivenessSession(challenge: challenge, settings: Self.settings), asked: LivenessAction?,
                frames: [RGBImage] = []
            for i in 0..<Int(15 * framesPerSecond) where session.refusals == nil {
                let time = Double(i) / framesPerSecond
                let image = actor.image(asked: asked, at: time)
                if keepingFrames { frames.append(image) }
                asked = session.handle(try live.reading(of: Frame(image: image, time: .seconds(time)), index: i, with: networks)).action
            }
            return (session, frames)
        }
    }

    func printTable() {
        say("\nkind | tried | accepted | why not")
        for (kind, outcomes) in tallies.sorted(by: { $0.key < $1.key }) {
            let reasons = outcomes.filter { $0.key != "ACCEPTED" }.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }
            say("\(kind) | \(outcomes.values.reduce(0, +)) | \(outcomes["ACCEPTED"] ?? 0) | \(reasons.joined(separator: ", "))")
        }
    }

    private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
