/// A test that a live session must pass.
///
/// A session tells all its checks what it sees. Each check measures on its own and gives its result;
/// none compensates for another. Only what tells a face from a print or a screen by degrees is judged
/// together, by ``LivenessDecision``. All that belongs to a check is in its file: its name, limits,
/// and refusals with their words.
protocol LivenessCheck: Sendable {
    static var name: LivenessCheckResult.Check { get }
    /// The reasons for which the check refuses a session.
    static var refusals: [SessionRefusal] { get }
    /// Returns whether sessions with this challenge need the check.
    static func isNeeded(for challenge: LivenessChallenge) -> Bool

    init(limits: LivenessLimits)

    mutating func observe(_ observation: LivenessObservation)
    /// Forgets what the person did before they moved. The still phase will begin again.
    mutating func restart()

    /// The failure that ends the session at once, or begins the still phase again.
    var failure: SessionRefusal? { get }
    /// Returns what keeps the check from judging a face in the still phase, which then begins again;
    /// `nil` if nothing does.
    func objection(to face: LiveFace) -> Guidance?
    /// Whether the still phase must go on, because the check has not seen enough.
    var wantsMore: Bool { get }
    /// Measurements for the decision that is made about those of all checks. A check that has any
    /// does not judge them itself: its first refusal is the reason if one of them weighs most.
    var cues: [LivenessDecision.Cue: Double] { get }
    /// Whether ``cues`` are only observed and refuse nobody.
    var isObserved: Bool { get }
    /// `nil` when there was nothing to measure.
    var result: LivenessCheckResult? { get }
}

extension LivenessCheck {
    static func isNeeded(for challenge: LivenessChallenge) -> Bool { true }

    mutating func restart() {}
    var failure: SessionRefusal? { nil }
    func objection(to face: LiveFace) -> Guidance? { nil }
    var wantsMore: Bool { false }
    var cues: [LivenessDecision.Cue: Double] { [:] }
    var isObserved: Bool { false }
}

/// An observation of a session. In order: pictures, then the still phase, then actions.
enum LivenessObservation {
    /// A picture came, of any phase. Equal hashes mean identical pictures.
    case picture(hash: UInt64)
    /// The position of the only face, from the still phase on; `nil` without one.
    case position(Rectangle?, at: Duration)
    /// The still phase begins with this face.
    case beginning(LiveFace, at: Duration)
    /// The face kept still.
    case stillness(LiveFace, at: Duration)
    /// The face at rest that later views are compared with: at the end of the still phase, and again
    /// at the new distance when the person has come closer.
    case rest(LiveFace)
    /// An action is requested.
    ///
    /// - Parameter openEyes: The opening of the eyes at rest.
    case request(LivenessAction, openEyes: Double)
    /// A face after the still phase.
    ///
    /// - Parameter action: The requested action; `nil` between actions.
    case face(LiveFace, at: Duration, isFrontal: Bool, action: LivenessAction?)
    /// The session refuses the person.
    case refusal(SessionRefusal)

    /// A face from the front, for checks of its surface.
    var frontalFace: LiveFace? {
        switch self {
        case .beginning(let face, _), .stillness(let face, _), .face(let face, _, true, _): face
        case .picture, .position, .rest, .request, .face, .refusal: nil
        }
    }
}
