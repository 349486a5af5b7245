internal import MienFace
internal import MienMedia
internal import MienModels
internal import MienPixels
internal import MienTesting

/// Clips of people: the folder `intel-sample-videos`. What is in each is known here.
struct Clips {
    let folder: String

    static let couple = "preview/head-pose-face-detection-female-and-male.gif",
        man = "preview/head-pose-face-detection-male.gif"
    static let woman = "preview/head-pose-face-detection-female.gif"
    /// One man who makes signs: those the limits were set with, and those that had no part in it.
    static let signs = ["milk", "sorry"]
    static let otherSigns = [
        "again", "bird", "book", "brother", "eat", "help", "hungry", "learn", "night", "no",
        "please", "school", "sister", "student", "thanks",
        "walk",
        "want", "yes",
    ]

    static func sign(_ name: String) -> String { "asl_gestures/\(name).mkv" }

    /// All frames.
    func frames(_ name: String) async throws -> [RGBImage] {
        var frames: [RGBImage] = []
        for try await frame in try await VideoStream.open(.file("\(folder)/\(name)")) {
            frames.append(frame.image)
        }
        return frames
    }

    /// Frames `range`, counted from 1, perhaps a part of each.
    func frames(_ name: String, _ range: ClosedRange<Int>, x: Int = 0, width: Int? = nil)
        async throws -> [RGBImage]
    {
        try await frames(name)[(range.lowerBound - 1)...(range.upperBound - 1)].map { image in
            image.reduced(by: 1, x: x, y: 0, width: width ?? image.width, height: image.height)
        }
    }
}

extension Bench {
    /// What the limits were set with.
    mutating func fitted(_ clips: Clips) async throws {
        let couple = Clips.couple, man = Clips.man
        // Blinks of their own: a clip that is played once, and one whose last frames run back, so
        // that the eyes open again.
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
        // Blinks drawn into their frames when they are asked for, as people blink then.
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
        // A full turn to either side, cut to be shown on cue.
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
            // Neighbours are then further apart than a turn is long.
            try await trial(
                "fitted clip, turns on cue, active, 6 frames a second", actor, challenge,
                framesPerSecond: 6)
        }
    }

    /// Clips that no limit was set with.
    mutating func heldOut(_ clips: Clips) async throws {
        for name in Clips.otherSigns {
            let clip = try await clips.frames(Clips.sign(name))
            try await drawnBlink(
                "held-out clip, drawn blink, passive", clip, 0.3, framesPerSecond: 30)
        }
    }

    /// - Parameter reaction: seconds from the instruction to the blink.
    private mutating func drawnBlink(
        _ kind: String, _ clip: [RGBImage], _ reaction: Double, framesPerSecond: Double
    ) async throws {
        var meshes: [FaceMesh?] = []
        for frame in clip {
            meshes.append(try await engine.analyse(frame, search: .near).main?.mesh)
        }
        let actor = BlinkingClip(
            clip, meshes: meshes, framesPerSecond: framesPerSecond, reaction: reaction)
        try await trial(kind, actor, .passive, framesPerSecond: framesPerSecond)
    }

    /// Back and forth; what runs again has a camera's noise of its own, so that it is not the very
    /// pictures.
    private static func extended(_ clip: [RGBImage], by count: Int) -> [RGBImage] {
        var generator = SeededGenerator(seed: UInt64(clip.count)), out = clip,
            place = clip.count - 1, step = -1
        for _ in 0..<count {
            if place + step < 0 || place + step >= clip.count { step = -step }
            place += step
            out.append(clip[place].withCameraNoise(1, using: &generator))
        }
        return out
    }
}
