import MienFace
import MienTesting
import Testing

/// Plays a person who sees the session's requests.
private struct Play {
    var session: LivenessSession
    var index = 0
    let interval: Duration
    private(set) var asked: LivenessAction?
    private(set) var steps: [LivenessSession.Step] = []

    init(
        _ actions: [LivenessAction], pause: Int = 300, settings: VerificationSettings = .standard,
        interval: Duration = .milliseconds(40)
    ) throws {
        let challenge = try LivenessChallenge(
            steps: actions.map { .init($0, pauseMilliseconds: pause) })
        session = LivenessSession(challenge: challenge, settings: settings)
        self.interval = interval
    }

    var time: Duration { interval * index }

    mutating func show(_ look: MadeLook?, hash: UInt64? = nil) {
        let step = session.handle(.made(look, index: index, at: time, hash: hash))
        index += 1
        asked = step.action
        steps.append(step)
    }

    /// - Parameter look: Returns the look to show when `asked` has been requested for the given
    ///   time.
    mutating func run(_ look: (_ asked: LivenessAction?, _ since: Duration) -> MadeLook?) {
        var since = time, last: LivenessAction?
        while session.refusals == nil, time < .seconds(60) {
            if asked != last { (last, since) = (asked, time) }
            show(look(asked, time - since))
        }
    }
}

/// Performs the requested action 0.3 s after the request, at a person's speed.
private func obedient(_ asked: LivenessAction?, _ since: Duration) -> MadeLook {
    let done = min(1, max(0, (since - .milliseconds(300)) / .milliseconds(400)))
    var look = MadeLook()
    switch asked {
    case nil, .keepStill: break
    case .blink: look.eyes = done > 0 && done < 0.5 ? 0.2 : 1
    case .turnLeft: look.yaw = Float(40 * done)
    case .turnRight: look.yaw = Float(-40 * done)
    case .lookUp: look.pitch = Float(35 * done)
    case .lookDown: look.pitch = Float(-35 * done)
    case .openMouth: look.mouth = 0.05 + 0.6 * done
    case .comeCloser: look.zoom = 1 + 0.5 * done
    }
    return look
}

@Suite("Liveness session")
struct LivenessSessionTests {
    @Test("performing the requested action passes", arguments: LivenessAction.drawable)
    func passes(action: LivenessAction) throws {
        var play = try Play([action])
        play.run(obedient)
        #expect(play.session.refusals == [])
        #expect(play.session.progress == 100)
        #expect(play.session.checks.allSatisfy { $0.hasPassed })
    }

    @Test("three actions are requested in turn")
    func three() throws {
        var play = try Play([.turnLeft, .blink, .lookUp])
        play.run(obedient)
        #expect(play.session.refusals == [])
        let asked = play.steps.map(\.action).reduce(into: [LivenessAction]()) { list, next in
            if let next, list.last != next { list.append(next) }
        }
        #expect(asked == [.keepStill, .turnLeft, .blink, .lookUp])
        #expect(play.steps.count { $0.isBestFrame } == 1)
    }

    @Test("doing nothing misses the action", arguments: LivenessAction.drawable)
    func nothing(action: LivenessAction) throws {
        var play = try Play([action])
        play.run { _, _ in MadeLook() }
        #expect(play.session.refusals?.first == (action == .blink ? .blinkMissed : .actionMissed))
    }

    @Test(
        "the opposite action is out of order",
        arguments: [LivenessAction.turnLeft, .turnRight, .lookUp, .lookDown])
    func contrary(action: LivenessAction) throws {
        let other: [LivenessAction: LivenessAction] = [
            .turnLeft: .turnRight, .turnRight: .turnLeft, .lookUp: .lookDown, .lookDown: .lookUp,
        ]
        var play = try Play([action])
        play.run { asked, since in obedient(asked.map { other[$0] ?? $0 }, since) }
        #expect(play.session.refusals?.first == .actionOutOfOrder)
    }

    @Test("a turn before its request is out of order")
    func early() throws {
        var play = try Play([.turnLeft], pause: 1500)
        play.run { asked, since in
            asked == nil ? obedient(.turnLeft, since) : obedient(asked, since)
        }
        #expect(play.session.refusals?.first == .actionOutOfOrder)
    }

    @Test(
        "a replaced face is detected at any time",
        arguments: [nil, LivenessAction.turnLeft, .blink])
    func another(during: LivenessAction?) throws {
        var play = try Play([.turnLeft, .blink])
        var wasStill = false, hasChanged = false
        play.run { asked, since in
            if asked == .keepStill { wasStill = true }
            if wasStill, asked != .keepStill, asked == during { hasChanged = true }
            var look = obedient(asked, since)
            look.person = hasChanged ? 1 : 0
            return look
        }
        #expect(play.session.refusals?.first == .faceChanged)
    }

    @Test("a face that jumps or disappears for a while ends the session")
    func track() throws {
        var jumps = try Play([.blink], pause: 1500)
        jumps.run { asked, since in
            var look = obedient(asked, since)
            if asked == nil, since > .milliseconds(500) { look.x = 600 }
            return look
        }
        #expect(jumps.session.refusals?.first == .faceJumped)
        var leaves = try Play([.blink], pause: 1500)
        leaves.run { asked, since in
            asked == nil && since > .milliseconds(200) ? nil : obedient(asked, since)
        }
        #expect(leaves.session.refusals?.first == .faceLost)
    }

    @Test("another person who appears elsewhere is refused as another, not as one who jumped")
    func anotherElsewhere() throws {
        var play = try Play([.blink], pause: 1500)
        play.run { asked, since in
            var look = obedient(asked, since)
            if asked == nil, since > .milliseconds(500) { (look.person, look.x) = (1, 600) }
            return look
        }
        #expect(play.session.refusals?.first == .faceChanged)
        #expect(play.session.refusals?.contains(.faceJumped) == true, "both are reported")
    }

    @Test("tilting a flat picture does not pass")
    func flat() throws {
        var play = try Play([.turnLeft])
        play.run { asked, since in
            var look = obedient(asked, since)
            (look.isFlat, look.yaw) = (true, 1.5 * look.yaw)
            return look
        }
        #expect(play.session.refusals?.first == .actionMissed)
    }

    @Test("a repeated picture and a loop are detected")
    func repetition() throws {
        var still = try Play([.blink])
        while still.session.refusals == nil { still.show(MadeLook(), hash: 7) }
        #expect(still.session.refusals?.first == .repeatedFrames)
        var loop = try Play([.blink])
        while loop.session.refusals == nil { loop.show(MadeLook(), hash: UInt64(loop.index % 20)) }
        #expect(loop.session.refusals?.first == .repeatedFrames)
    }

    @Test("duplicate frames from a driver are not a loop")
    func twice() throws {
        var play = try Play([.blink], interval: .milliseconds(20))
        var since = play.time, last: LivenessAction?
        while play.session.refusals == nil, play.time < .seconds(30) {
            if play.asked != last { (last, since) = (play.asked, play.time) }
            play.show(obedient(play.asked, play.time - since), hash: UInt64(play.index / 2))
        }
        #expect(play.session.refusals == [])
    }

    @Test("time that stands still or goes back ends the session")
    func clock() throws {
        var play = try Play([.blink])
        play.show(MadeLook())
        _ = play.session.handle(.made(MadeLook(), index: 5, at: .zero))
        #expect(play.session.refusals == [.clockWentBack])
    }

    @Test("moving, blinking, or turning restarts the still phase")
    func still() throws {
        for disturb in [
            MadeLook(yaw: 30), MadeLook(eyes: 0.3), MadeLook(x: 400), nil,
        ] {
            var play = try Play([.blink])
            for i in 0..<40 { play.show(i == 20 ? disturb : MadeLook()) }
            #expect(!play.steps.contains { $0.isBestFrame })
            #expect(play.session.refusals == nil)
            for _ in 0..<10 { play.show(MadeLook()) }
            #expect(play.steps.contains { $0.isBestFrame })
        }
    }

    @Test("half a second of frames that cannot be judged restarts the still phase, one does not")
    func lapse() throws {
        for (count, passes) in [(1, true), (13, true), (14, false)] {
            var play = try Play([.blink])
            for i in 0..<38 {
                play.show(MadeLook(quality: (10..<10 + count).contains(i) ? 20 : 80))
            }
            #expect(play.steps[10].guidance == .faceTooFar || play.steps[10].status == .badQuality)
            #expect(play.steps.contains { $0.isBestFrame } == passes, "\(count)")
        }
        // Frames that cannot be judged do not fill the phase.
        var play = try Play([.blink])
        for i in 0..<48 { play.show(MadeLook(quality: i % 12 != 0 ? 20 : 80)) }
        #expect(!play.steps.contains { $0.isBestFrame })
    }

    @Test("at six frames a second, a turn whose end falls between two frames counts")
    func sixFrames() throws {
        func turned(to most: Float) throws -> LivenessSession {
            var play = try Play([.turnLeft], interval: .milliseconds(167))
            // One frame on the way, one near the end, one on the way back.
            let yaws = [0, 0, 0.55, 1, 0.93].map { $0 * most }
            var frame = 0
            play.run { asked, _ in
                guard asked == .turnLeft || frame > 0 else { return MadeLook() }
                defer { frame += 1 }
                return MadeLook(yaw: frame < yaws.count ? yaws[frame] : 0)
            }
            return play.session
        }
        let mesh = SyntheticHead().mesh(center: Point(x: 320, y: 240), halfWidth: 80)
        func change(_ yaw: Float) -> Double {
            SyntheticHead().mesh(
                center: Point(x: 320, y: 240), halfWidth: 80,
                pose: HeadPose(yaw: yaw, pitch: 0, roll: 0)
            ).turn - mesh.turn
        }
        let limit = LivenessLimits(threshold: 0).turn
        let nearly = try #require(
            (1...60).map { Float($0) }.prefix(while: { change($0) < 0.97 * limit }).last)
        #expect(change(nearly) > 0.9 * limit)
        #expect(try turned(to: nearly).refusals == [])
        let short = try #require(
            (1...60).map { Float($0) }.prefix(while: { change($0) < 0.7 * limit }).last)
        #expect(try turned(to: short).refusals?.first == .actionMissed)
    }

    @Test("a higher threshold lengthens the still phase")
    func threshold() throws {
        var frames: [Int] = []
        for threshold in [0, 50, 100] {
            var play = try Play(
                [.blink], settings: try VerificationSettings(livenessThreshold: threshold))
            play.run(obedient)
            frames.append(try #require(play.steps.firstIndex { $0.isBestFrame }))
        }
        #expect(frames == [25, 50, 75])
    }

    /// Tests every story of seven scenes of 400 ms after the still phase, for “turn left, then
    /// blink”, against rules written independently of the code.
    @Test(
        "small world: only a turn, a return, and a blink, in this order and on request, pass")
    func smallWorld() throws {
        enum Scene: CaseIterable { case front, left, right, blink, other, gone }
        func look(_ scene: Scene, _ frame: Int) -> MadeLook? {
            // Four frames per scene. A blink is closed for two of them.
            switch scene {
            case .front: MadeLook()
            case .left: MadeLook(yaw: 40)
            case .right: MadeLook(yaw: -40)
            case .blink: MadeLook(eyes: frame == 1 || frame == 2 ? 0.2 : 1)
            case .other: MadeLook(person: 1)
            case .gone: nil
            }
        }
        var begin = try Play([.turnLeft, .blink], pause: 0, interval: .milliseconds(100))
        while begin.session.refusals == nil, begin.asked != .turnLeft { begin.show(MadeLook()) }
        var passed = 0, stories = 0
        func walk(_ play: Play, _ story: [Scene]) {
            if let refusals = play.session.refusals {
                stories += 1
                guard refusals.isEmpty else { return }
                passed += 1
                // A pass needs the turn before the front before the blink, no other turn, nobody
                // else, and nobody missing for two scenes.
                #expect(!story.contains(.right) && !story.contains(.other))
                #expect(!zip(story, story.dropFirst()).contains { $0 == .gone && $1 == .gone })
                let turn = story.firstIndex(of: .left), blink = story.lastIndex(of: .blink)
                let rest = turn.flatMap { turn in
                    story[turn...].firstIndex { $0 == .front || $0 == .blink }
                }
                #expect(
                    turn != nil && blink != nil && rest != nil && turn! < rest! && rest! <= blink!)
                return
            }
            guard story.count < 5 else {
                stories += 1
                return
            }
            for scene in Scene.allCases {
                var next = play
                for frame in 0..<4 where next.session.refusals == nil {
                    next.show(look(scene, frame))
                }
                walk(next, story + [scene])
            }
        }
        walk(begin, [])
        #expect(stories > 500)
        #expect(passed > 10)
    }
}
