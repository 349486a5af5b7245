import MienCore
import MienFace
import MienMedia
import MienModels
import MienTesting

extension LivenessTrials {
    /// Plays the clips that were used to set the limits.
    mutating func fitted(_ clips: Clips) async throws {
        let couple = Clips.couple, man = Clips.man
        // The person's own blinks: a clip that is played once, and one whose last frames run
        // backward, so that the eyes open again.
        for start in [14, 17, 20, 23, 26] {
            let clip = try await clips.frames(couple, start...56, x: 240, width: 240)
            try await trial(
                "fitted clip, own blink, passive", RecordedClip(clip, framesPerSecond: 12), .passive
            )
        }
        for start in [34, 37, 40, 43] {
            let clip = try await clips.frames(man, start...62)
            try await trial(
                "fitted clip, own blink, passive",
                RecordedClip(Self.extended(clip, by: 8), framesPerSecond: 12), .passive)
        }
        // Blinks drawn into the frames when requested, timed like a person's.
        let windows = [
            (man, 1, 25, 12.0), (man, 8, 32, 12), (man, 15, 39, 12), (man, 22, 46, 12),
            (man, 29, 53, 12), (Clips.sign("sorry"), 26, 73, 30),
            (Clips.sign("milk"), 13, 51, 30), (Clips.sign("sorry"), 28, 73, 30),
        ]
        for (name, first, last, rate) in windows {
            let clip = try await clips.frames(name, first...last)
            for reaction in [0.3, 0.6] {
                try await drawnBlink(
                    "fitted clip, drawn blink, passive", clip, reaction, framesPerSecond: rate)
            }
        }
        for start in [14, 18, 22] {
            let clip = try await clips.frames(couple, start...41, x: 240, width: 240)
            try await drawnBlink(
                "fitted clip, drawn blink, passive", clip, 0.3, framesPerSecond: 12)
        }
        // A full turn to either side, cut into pieces to be shown on cue.
        let turn = try await clips.frames(Clips.woman, 1...23)
        let left = Array(turn[9...19]), right = Array(turn[19...22]) + turn[19...21].reversed()
        for (seed, actions) in [
            [LivenessAction.turnLeft], [.turnRight], [.turnLeft, .turnRight],
            [.turnRight, .turnLeft],
        ].enumerated() {
            let actor = CuedClip(
                rest: turn[19], pieces: [.turnLeft: left, .turnRight: right], framesPerSecond: 12,
                seed: UInt64(seed))
            let challenge = try LivenessChallenge(
                steps: actions.map { .init($0, pauseMilliseconds: 500) })
            try await trial("fitted clip, turns on cue, active", actor, challenge)
            for (rate, lines) in [(6.0, 480), (8, 480), (12, 480), (30, 480), (6, 1080)] {
                try await trial(
                    "fitted clip, turns on cue, active, \(Int(rate)) frames a second, \(lines) lines",
                    Enlarged(actor, lines: lines, seed: UInt64(seed)), challenge,
                    framesPerSecond: rate)
            }
        }
    }

    /// Plays clips that were not used to set any limit.
    mutating func heldOut(_ clips: Clips) async throws {
        for name in Clips.otherSigns {
            let clip = try await clips.frames(Clips.sign(name))
            try await drawnBlink(
                "held-out clip, drawn blink, passive", clip, 0.3, framesPerSecond: 30)
        }
    }

    /// - Parameter reaction: Seconds from the instruction to the blink.
    private mutating func drawnBlink(
        _ kind: String, _ clip: [RGBImage], _ reaction: Double, framesPerSecond: Double
    ) async throws {
        var meshes: [FaceMesh?] = []
        for frame in clip {
            meshes.append(try await engine.analyze(frame, search: .near).main?.mesh)
        }
        let actor = BlinkingClip(
            clip, meshes: meshes, framesPerSecond: framesPerSecond, reaction: reaction)
        try await trial(kind, actor, .passive, framesPerSecond: framesPerSecond)
    }

    /// Plays the clip back and forth. Repeated frames get their own camera noise, so that no
    /// pictures are identical.
    private static func extended(_ clip: [RGBImage], by count: Int) -> [RGBImage] {
        var generator = SeededGenerator(seed: UInt64(clip.count)), out = clip,
            index = clip.count - 1, step = -1
        for _ in 0..<count {
            if index + step < 0 || index + step >= clip.count { step = -step }
            index += step
            out.append(clip[index].withCameraNoise(1, using: &generator))
        }
        return out
    }
}
