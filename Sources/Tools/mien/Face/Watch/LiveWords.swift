import MienFace

extension Guidance {
    /// For the person in front of the camera.
    var words: String {
        switch self {
        case .faceNotFound: "face the camera, with the whole face in the picture"
        case .multipleFaces: "only one person may be in the picture"
        case .faceTooFar: "come closer"
        case .faceTooClose: "move back a little"
        case .misalignedFace: "look straight into the camera, in the middle of the picture"
        case .tooDark: "turn towards the light"
        case .tooBright: "avoid direct light"
        case .lowContrast: "find more even, stronger light"
        case .tooMuchMovement: "hold still"
        case .eyesClosed: "open your eyes"
        case .obscuredFace: "take off mask, sunglasses or hand"
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
    /// For whoever runs the session.
    var words: String {
        switch self {
        case .timedOut: "the time was over"
        case .cancelled: "it was interrupted"
        case .sourceEnded: "the video ended first"
        case .badQuality: "no frame was good enough"
        case .noMatch: "it is another face"
        case .clockWentBack: "the frames' times went back"
        case .actionMissed: "what was asked was not done in time"
        case .actionOutOfOrder: "something else was done than what was asked, or before it was"
        case .blinkMissed: "there was no blink in time"
        case .faceLost: "the face was out of sight"
        case .faceJumped: "the face jumped from one place to another"
        case .faceChanged: "another face took its place"
        case .flat: "the head turned as a flat picture turns"
        case .repeatedFrames: "the same pictures came again"
        case .stillPicture: "all frames show one picture"
        case .replayed: "these pictures were shown before"
        case .printOrScreen: "the picture has the marks of a print or a screen"
        case .presentationAttack: "it was taken for a presentation attack"
        }
    }
}
