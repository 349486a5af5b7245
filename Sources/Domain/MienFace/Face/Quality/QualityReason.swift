/// A reason that a photo is not good enough, or only just. The raw values are stable: they are part
/// of JSON output and of the wire protocol.
public enum QualityReason: String, Sendable, CaseIterable, Codable {
    case noFace, multipleFaces, tooSmall, tooLarge, offCenter = "offCentre", tooDark, tooBright,
        lowContrast,
        blurred, notFrontal, eyesClosed, occluded, indistinct

    /// Advice for the person in front of the camera.
    public var advice: String {
        switch self {
        case .noFace: "no face was found: face the camera, with the whole face in the picture"
        case .multipleFaces: "more than one face: only one person may be in the picture"
        case .tooSmall: "the face is too small: come closer or use a larger picture"
        case .tooLarge: "the face is too close: move back a little"
        case .offCenter: "part of the face is outside the picture: move to the middle"
        case .tooDark: "the face is too dark: turn toward the light"
        case .tooBright: "the face is too bright: avoid direct light"
        case .lowContrast: "the face has too little contrast: use more even, stronger light"
        case .blurred: "the face is blurred: hold still, clean the lens"
        case .notFrontal: "the face is turned away: look straight into the camera"
        case .eyesClosed: "the eyes are closed: open them"
        case .occluded: "something covers the face: remove the mask, sunglasses, or hand"
        case .indistinct:
            "too little of the face can be recognized: use even light, a sharp picture, and nothing before the face"
        }
    }
}
