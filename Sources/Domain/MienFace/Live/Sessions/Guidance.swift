/// What to tell the person in front of the camera. Stable words: part of the wire protocol.
public enum Guidance: String, Sendable, CaseIterable, Codable {
    case faceNotFound = "face_not_found", multipleFaces = "multiple_faces", faceTooFar =
        "face_too_far", faceTooClose = "face_too_close"
    case misalignedFace = "misaligned_face", tooDark = "too_dark", tooBright = "too_bright",
        lowContrast = "low_contrast"
    case tooMuchMovement = "too_much_movement", eyesClosed = "eyes_closed", obscuredFace =
        "obscured_face"
    /// Wait: a countdown runs, or the next instruction comes in a moment.
    case wait
    case lookStraight = "look_straight"
    case keepStill = "keep_still", blink, turnLeft = "turn_left", turnRight = "turn_right", lookUp =
        "look_up", lookDown = "look_down"
    case openMouth = "open_mouth", comeCloser = "come_closer"
    case done

    public init(_ action: LivenessAction) { self = Guidance(rawValue: action.rawValue)! }

    public init(_ reason: QualityReason) {
        self =
            switch reason {
            case .noFace: .faceNotFound
            case .multipleFaces: .multipleFaces
            case .tooSmall: .faceTooFar
            case .tooLarge: .faceTooClose
            case .offCentre, .notFrontal: .misalignedFace
            case .tooDark: .tooDark
            case .tooBright: .tooBright
            case .lowContrast: .lowContrast
            case .blurred: .tooMuchMovement
            case .eyesClosed: .eyesClosed
            case .occluded: .obscuredFace
            }
    }

    /// An instruction, which has to be seen at once; the others are remarks that wait for their
    /// turn.
    public var isInstruction: Bool {
        switch self {
        case .blink, .turnLeft, .turnRight, .lookUp, .lookDown, .openMouth, .comeCloser, .done: true
        case .faceNotFound, .multipleFaces, .faceTooFar, .faceTooClose, .misalignedFace, .tooDark,
            .tooBright, .lowContrast, .tooMuchMovement,
            .eyesClosed, .obscuredFace, .wait, .lookStraight, .keepStill:
            false
        }
    }
}

/// Keeps a word on the screen long enough to be read.
///
/// A remark stays for ``minimum``; then the newest takes its place. An instruction is shown at once
/// and begins a new stay.
public struct GuidanceHolder: Sendable, Equatable {
    public let minimum: Duration
    private var shown: Guidance?
    private var since: Duration = .zero

    public init(minimum: Duration = .milliseconds(700)) { self.minimum = minimum }

    /// - Returns: what to show now.
    public mutating func show(_ wanted: Guidance?, at time: Duration) -> Guidance? {
        guard wanted != shown else { return shown }
        if shown == nil || wanted?.isInstruction == true || time - since >= minimum {
            (shown, since) = (wanted, time)
        }
        return shown
    }
}
