internal import MienAPI
internal import MienCore
internal import MienFace
internal import MienJourney
internal import MienPixels

/// A live capture that goes on: its frames' chain, its clock, its state machine. A value; whoever
/// holds it looks at pictures and writes.
///
/// Of pictures it holds small grey patches and hashes, as long as it lives.
struct LiveSession: Sendable {
    /// How far a frame's time may be ahead of the server's.
    static let maxAhead: Duration = .milliseconds(500)
    /// How far it may be behind: the time under way, and that which a batch is collected in.
    static let maxBehind: Duration = .seconds(5)

    /// Nothing came for so long: nobody is there any more.
    static let longestSilence: Duration = .seconds(15)

    let nonce: [UInt8]
    let began: Instant
    let deadline: Instant
    let challenge: LivenessChallenge?
    let maxFrames: Int
    private(set) var chain: FrameChain
    private(set) var judgement: LiveJudgement
    private(set) var trail = ReplayTrail()
    /// Of every frame with a face.
    private(set) var hashes: [ReplayHash] = []
    /// Pictures looked at, those included that were none.
    private(set) var looks = 0
    private var heardAt: Instant
    /// Has an action been told that was drawn?
    private(set) var wasInstructed = false
    private(set) var last: FrameEvent?

    init(
        _ id: CaptureID, for purpose: CaptureRequest.Purpose, rules: LivenessRules,
        challenge: LivenessChallenge?, nonce: [UInt8], at now: Instant,
        until end: Instant, maxFrames: Int
    ) throws {
        (self.nonce, began, self.challenge, self.maxFrames) = (nonce, now, challenge, maxFrames)
        heardAt = now
        deadline = min(end, now + .seconds(rules.timeoutSeconds))
        chain = FrameChain(nonce: nonce)
        judgement = try LiveJudgement(id, for: purpose, rules: rules, challenge: challenge)
    }

    /// What the gate says of a batch, before any picture is opened.
    enum Admission: Equatable {
        case admitted
        /// Nothing is lost: the frames from `next` on may be sent.
        case outOfOrder(next: UInt32)
        case refused(String)
    }

    func admit(_ batch: [LinkedFrame], at now: Instant) -> Admission {
        guard now < deadline else { return .refused(SessionRefusal.timedOut.rawValue) }
        guard looks + batch.count <= maxFrames else {
            return .refused(CaptureRefusal.tooManyFrames.rawValue)
        }
        var chain = chain
        let elapsed = now - began
        for frame in batch {
            do throws(FrameChain.Fault) { try chain.accept(frame) } catch {
                switch error {
                case .outOfOrder(let next): return .outOfOrder(next: next)
                case .altered: return .refused(CaptureRefusal.frameAltered.rawValue)
                case .notLater: return .refused(SessionRefusal.clockWentBack.rawValue)
                }
            }
            let time = Duration.milliseconds(Int64(frame.milliseconds))
            if time > elapsed + Self.maxAhead {
                return .refused(CaptureRefusal.frameEarly.rawValue)
            }
            if time < elapsed - Self.maxBehind {
                return .refused(CaptureRefusal.frameLate.rawValue)
            }
        }
        return .admitted
    }

    /// Is its time over, or has its client gone?
    func isOver(at now: Instant) -> Bool { now >= deadline || now - heardAt > Self.longestSilence }

    /// Counts a picture before it is opened: whoever sends what is none uses the session up as
    /// well.
    mutating func willLook(at now: Instant) { (looks, heardAt) = (looks + 1, now) }

    /// Takes the next frame of an admitted batch and what was found in it.
    ///
    /// - Parameter reading: without its picture: the session outlives it.
    mutating func take(_ frame: LinkedFrame, _ reading: FaceReading) throws(FrameChain.Fault) {
        try chain.accept(frame)
        if let patch = reading.face?.patch, hashes.count < maxFrames {
            let hash = ReplayHash(patch)
            hashes.append(hash)
            trail.see(hash)
        }
        let event = judgement.handle(reading)
        last = event
        // What is the same for all, keeping still and in passive mode the blink, gives nothing
        // away.
        if challenge != nil, let action = event.action, action != .keepStill {
            wasInstructed = true
        }
    }

    /// The answer to `judgement.wantsExtraction`.
    mutating func extracted(_ entry: FaceTemplate.Entry?) { judgement.extracted(entry) }
}
