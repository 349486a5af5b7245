internal import MienAPI
internal import MienCore
internal import MienFace
internal import MienJourney

/// A live capture in progress: its frame chain, its clock, and its state machine. It is a value;
/// its holder analyzes the pictures and writes the records.
///
/// Of the pictures, it keeps only small gray patches and hashes, and only while it exists. A session
/// whose face is compared with a document also keeps one of the pictures.
struct LiveSession: Sendable {
    /// How far a frame's time may be ahead of the server's.
    static let maxAhead: Duration = .milliseconds(500)
    /// How far it may be behind, which allows for transmission and for collecting a batch.
    static let maxBehind: Duration = .seconds(5)
    /// The same where colors of the screen are required. Together with ``LightChallenge/ahead``, it is
    /// less than the time that the check looks at, so that nobody knows all colors of that time before
    /// the first frame under them is due.
    static let maxBehindColors: Duration = .seconds(3)

    /// The silence after which the client is considered gone.
    static let maxSilence: Duration = .seconds(15)

    let nonce: [UInt8]
    let began: Instant
    let deadline: Instant
    let challenge: LivenessChallenge?
    /// The colors that the screen shows; `nil` without.
    let light: LiveColors?
    /// Whether the policy judges the light of the screen, and the audit log says how. It does not
    /// where a person may leave out required colors: who passed without them would be known to need it.
    let recordsLight: Bool
    let maxFrames: Int
    private(set) var chain: FrameChain
    private(set) var judgment: LiveJudgment
    /// The last entries for templates of other packs.
    private(set) var former: [PackID: FaceTemplate.Entry] = [:]
    private(set) var trail = ReplayTrail()
    /// The hash of every frame with a face.
    private(set) var hashes: [ReplayHash] = []
    /// The number of pictures analyzed, including malformed ones.
    private(set) var looks = 0
    private var heardAt: Instant
    /// Whether something that was drawn has been revealed: an action, or required colors.
    private(set) var wasInstructed = false
    private(set) var last: FrameEvent?
    private(set) var camera: CameraClass?
    /// The entries that the pack in shadow mode made.
    private(set) var shadow: [FaceTemplate.Entry] = []
    /// The last picture whose face was described, if the session keeps one.
    private(set) var picture: [UInt8]?

    init(
        _ id: CaptureID, for purpose: CaptureRequest.Purpose, rules: LivenessRules,
        presentation: PresentationMode = .off, challenge: LivenessChallenge?,
        light: LiveColors? = nil, nonce: [UInt8],
        at now: Instant,
        until end: Instant, maxFrames: Int
    ) throws {
        self.light = light
        recordsLight = rules.judgesLight && (rules.light == .observe || !rules.mayOmitLight)
        (self.nonce, began, self.challenge, self.maxFrames) = (nonce, now, challenge, maxFrames)
        heardAt = now
        deadline = min(end, now + .seconds(rules.timeoutSeconds))
        chain = FrameChain(nonce: nonce)
        judgment = try LiveJudgment(
            id, for: purpose, rules: rules, presentation: presentation, challenge: challenge,
            light: light)
    }

    /// The decision about a batch, made before any picture is decoded.
    enum Admission: Equatable {
        case admitted([AdmittedFrame])
        /// The session goes on. The client may send the frames from `next` on.
        case outOfOrder(next: UInt32)
        case refused(String)
    }

    /// A frame whose link was verified, and the chain that ends with it. Pictures are hashed once.
    struct AdmittedFrame: Equatable {
        let frame: LinkedFrame
        fileprivate let chain: FrameChain
    }

    func admit(_ batch: [LinkedFrame], at now: Instant) -> Admission {
        guard now < deadline else { return .refused(SessionRefusal.timedOut.rawValue) }
        guard looks + batch.count <= maxFrames else {
            return .refused(CaptureRefusal.tooManyFrames.rawValue)
        }
        var chain = chain, admitted: [AdmittedFrame] = []
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
            if time < elapsed - (light?.mode == .require ? Self.maxBehindColors : Self.maxBehind) {
                return .refused(CaptureRefusal.frameLate.rawValue)
            }
            admitted.append(AdmittedFrame(frame: frame, chain: chain))
        }
        return .admitted(admitted)
    }

    /// Whether the session has timed out or its client is gone.
    func isOver(at now: Instant) -> Bool { now >= deadline || now - heardAt > Self.maxSilence }

    /// Counts a picture before it is decoded, so that malformed pictures also use up the session.
    mutating func willLook(at now: Instant) { (looks, heardAt) = (looks + 1, now) }

    /// Notes that the client is there, while a batch of it is analyzed.
    mutating func hear(at now: Instant) { heardAt = now }

    /// Takes the next frame of an admitted batch and its reading.
    ///
    /// - Parameter reading: The reading without its picture, because the session outlives the
    ///   picture.
    mutating func take(_ admitted: AdmittedFrame, _ reading: FaceReading) {
        precondition(admitted.frame.number == chain.next, "frames are taken in order")
        chain = admitted.chain
        if let patch = reading.face?.patch, hashes.count < maxFrames {
            let hash = ReplayHash(patch)
            hashes.append(hash)
            trail.see(hash)
        }
        let event = judgment.handle(reading)
        last = event
        // Actions that every session requests, which are keeping still and the blink in passive
        // mode, reveal nothing. Required colors are revealed from the first answer on.
        if light?.mode == .require { wasInstructed = true }
        if challenge != nil, let action = event.action, action != .keepStill {
            wasInstructed = true
        }
    }

    /// Takes the entry that `judgment.wantsExtraction` requested.
    ///
    /// - Parameter former: The entries of the same face for templates of other packs.
    mutating func extracted(
        _ entry: FaceTemplate.Entry?, former: [PackID: FaceTemplate.Entry] = [:],
        camera: CameraClass = .other
    ) {
        (self.former, self.camera) = (former, camera)
        judgment.extracted(entry)
    }

    mutating func keep(_ picture: [UInt8]) { self.picture = picture }

    /// Takes the entry that the pack in shadow mode made of the same frame. A comparison uses the
    /// last entry, a template all of them.
    mutating func extractedInShadow(_ entry: FaceTemplate.Entry) {
        if case .verification = judgment { shadow = [] }
        shadow.append(entry)
    }
}
