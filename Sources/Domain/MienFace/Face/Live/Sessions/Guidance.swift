/// Guidance for the person in front of the camera. The raw values are stable: they are part of the
/// wire protocol.
public enum Guidance: String, Sendable, CaseIterable, Codable {
    case faceNotFound = "face_not_found", multipleFaces = "multiple_faces", faceTooFar =
        "face_too_far", faceTooClose = "face_too_close"
    case misalignedFace = "misaligned_face", tooDark = "too_dark", tooBright = "too_bright",
        lowContrast = "low_contrast"
    case tooMuchMovement = "too_much_movement", eyesClosed = "eyes_closed", obscuredFace =
        "obscured_face"
    /// Wait for a countdown to end or for the next instruction.
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
            case .offCenter, .notFrontal: .misalignedFace
            case .tooDark: .tooDark
            case .tooBright: .tooBright
            case .lowContrast: .lowContrast
            case .blurred: .tooMuchMovement
            case .eyesClosed: .eyesClosed
            case .occluded, .indistinct: .obscuredFace
            }
    }

    /// Whether this is an instruction, which must appear at once. Other guidance waits for its
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

/// Keeps guidance on the screen long enough to be read.
///
/// A remark stays for ``minimum``, then the newest one replaces it. An instruction appears at once
/// and restarts the time.
public struct GuidanceHolder: Sendable, Equatable {
    public let minimum: Duration
    private var shown: Guidance?
    private var since: Duration = .zero

    public init(minimum: Duration = .milliseconds(700)) { self.minimum = minimum }

    /// - Returns: The guidance to show now.
    public mutating func show(_ wanted: Guidance?, at time: Duration) -> Guidance? {
        guard wanted != shown else { return shown }
        if shown == nil || wanted?.isInstruction == true || time - since >= minimum {
            (shown, since) = (wanted, time)
        }
        return shown
    }
}
