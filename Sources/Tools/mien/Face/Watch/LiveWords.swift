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
        case .obscuredFace: "remove the mask, sunglasses, or hand"
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

extension SessionRefusal {
    /// The explanation for the caller of the session.
    var words: String {
        switch self {
        case .timedOut: "the time ran out"
        case .cancelled: "it was interrupted"
        case .sourceEnded: "the video ended first"
        case .badQuality: "no frame was good enough"
        case .noMatch: "it is another face"
        case .clockWentBack: "the frames' times went back"
        case .actionMissed: "a requested action was not performed in time"
        case .actionOutOfOrder: "an action was performed that was not requested, or too early"
        case .blinkMissed: "there was no blink in time"
        case .faceLost: "the face was lost"
        case .faceJumped: "the face jumped to another position"
        case .faceChanged: "another face replaced it"
        case .flat: "the head turned like a flat picture"
        case .repeatedFrames: "the same pictures were repeated"
        case .stillPicture: "all frames show one picture"
        case .replayed: "these pictures were shown in an earlier session"
        case .printOrScreen: "the picture shows signs of a print or a screen"
        case .presentationAttack: "it was classified as a presentation attack"
        }
    }
}
