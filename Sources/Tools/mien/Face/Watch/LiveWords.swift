import MienFace

extension Guidance {
    /// The instruction for the person in front of the camera.
    var words: String {
        switch self {
        case .faceNotFound: "face the camera, with the whole face in the picture"
        case .multipleFaces: "only one person may be in the picture"
        case .faceTooFar: "come closer"
        case .faceTooClose: "move back a little"
        case .misalignedFace: "look straight into the camera, in the middle of the picture"
        case .tooDark: "turn toward the light"
        case .tooBright: "avoid direct light"
        case .lowContrast: "find more even, stronger light"
        case .tooMuchMovement: "hold still"
        case .eyesClosed: "open your eyes"
        case .obscuredFace: "show your whole face, without mask, sunglasses, or hand"
        case .wait: "wait"
        case .lookStraight: "look straight into the camera"
        case .keepStill: "keep still"
        case .blink: "blink"
        case .turnLeft: "turn your head to your left"
        case .turnRight: "turn your head to your right"
        case .lookUp: "look up"
        case .lookDown: "look down"
        case .openMouth: "open your mouth"
        case .comeCloser: "come closer to the camera"
        case .done: "done"
        }
    }
}
