public import MienCore

/// The state of a capture session: the answer at its start, after each frame, and to a status
/// request.
public struct CaptureAnswer: Sendable, Hashable, Codable {
    public var status: WireValue<CaptureStatus>
    public var guidance: [WireValue<CaptureGuidance>]
    /// The quality of the last frame, 0...100.
    public var quality: Int?
    /// The position of the face in pixels of the frame: x, y, width, height.
    public var face: [Double]?
    public var framesLeft: Int
    /// Milliseconds since 1970.
    public var expiresAt: Int64
    /// The required mode.
    public var mode: WireValue<CaptureMode>?
    /// The action that the person has to perform now; revealed only when it is due.
    public var action: WireValue<CaptureAction>?
    /// The progress of a live session, 0...100. The verdict does not depend on it.
    public var progress: Int?
    /// Milliseconds until a live session ends by itself.
    public var countdown: Int?
    /// Milliseconds since a live session began. The frames' times count from the same start.
    public var elapsed: Int?
    /// The number of the next frame of a live session.
    public var nextFrame: Int?
    /// The start of the frame chain of a live session that has begun. base64url.
    public var nonce: String?
    /// The reasons for a failure; show the first one to the person.
    public var reasons: [WireValue<CaptureReason>]?
    /// The consent to ask the person for before the first frame; `nil` if none is missing.
    public var consent: CaptureConsentText?
    /// The actions that a person may replace by others before the session begins, each by itself;
    /// `nil` if none.
    public var omittableActions: [WireValue<CaptureAction>]?
    /// Whether a picture of the face is kept afterwards, such as for a check of a document; `nil`
    /// if none is. Say so before the capture.
    public var keepsPicture: Bool?
    /// The colors that the screen shows: before the session begins, whether it may; afterward, the
    /// colors that are due. `nil` if it shows none.
    public var light: CaptureLight?

    public init(
        status: WireValue<CaptureStatus>, guidance: [WireValue<CaptureGuidance>],
        quality: Int? = nil, face: [Double]? = nil, framesLeft: Int, expiresAt: Int64,
        mode: WireValue<CaptureMode>? = nil, action: WireValue<CaptureAction>? = nil,
        progress: Int? = nil, countdown: Int? = nil, elapsed: Int? = nil,
        nextFrame: Int? = nil, nonce: String? = nil,
        reasons: [WireValue<CaptureReason>]? = nil, consent: CaptureConsentText? = nil,
        omittableActions: [WireValue<CaptureAction>]? = nil, keepsPicture: Bool? = nil,
        light: CaptureLight? = nil
    ) {
        self.light = light
        self.keepsPicture = keepsPicture
        (self.status, self.guidance, self.quality, self.face) = (status, guidance, quality, face)
        (self.framesLeft, self.expiresAt, self.mode, self.action) = (
            framesLeft, expiresAt, mode, action
        )
        (self.progress, self.countdown, self.elapsed, self.nextFrame) = (
            progress, countdown, elapsed, nextFrame
        )
        (self.nonce, self.reasons, self.consent) = (nonce, reasons, consent)
        self.omittableActions = omittableActions
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case status, guidance, quality, face, framesLeft = "frames_left", expiresAt = "expires_at"
        case mode, action, progress, countdown, elapsed, nextFrame = "next_frame", nonce, reasons
        case consent, omittableActions = "omittable_actions", keepsPicture = "keeps_picture"
        case light
    }
}

/// The colors that the screen shows in a capture, which the face reflects.
public struct CaptureLight: Sendable, Hashable, Codable {
    /// Whether a capture without colors is refused.
    public var isRequired: Bool
    /// Whether a person who must not see colors may leave them out; `nil` once the session has begun.
    public var isOmittable: Bool?
    /// The color to show now and those that begin within two seconds; `nil` before the session
    /// begins.
    public var colors: [CaptureColor]?

    public init(isRequired: Bool, isOmittable: Bool?, colors: [CaptureColor]? = nil) {
        (self.isRequired, self.isOmittable, self.colors) = (isRequired, isOmittable, colors)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case isRequired = "required", isOmittable = "omittable", colors
    }
}

/// A color that fills the screen until the next one begins.
public struct CaptureColor: Sendable, Hashable, Codable {
    /// `#rrggbb`, in sRGB.
    public var hex: String
    /// Milliseconds since the session began.
    public var begin: Int

    public init(hex: String, begin: Int) { (self.hex, self.begin) = (hex, begin) }

    public enum CodingKeys: String, CodingKey, CaseIterable { case hex = "color", begin }
}

/// How the screen shows colors during a capture.
public enum CaptureLightStyle: String, WireWord {
    /// Full colors.
    case vivid
    /// Pastel colors, for people whom full ones disturb.
    case gentle
    /// None, for people who must not see them.
    case off
}

/// Says, before the session begins, that the screen will show colors, or that the person must not see
/// them. A client that never says so shows none.
public struct CaptureLightRequest: Sendable, Hashable, Codable {
    public var style: WireValue<CaptureLightStyle>

    public init(style: WireValue<CaptureLightStyle>) { self.style = style }

    public enum CodingKeys: String, CodingKey, CaseIterable { case style }
}

/// A text to show before a capture, with which the person consents to storing their face.
public struct CaptureConsentText: Sendable, Hashable, Codable {
    /// The version to send back once the person has consented.
    public var textVersion: String
    public var title: String
    public var text: String
    /// The label of the button that consents.
    public var buttonText: String

    public init(textVersion: String, title: String, text: String, buttonText: String) {
        (self.textVersion, self.title, self.text, self.buttonText) = (
            textVersion, title, text, buttonText
        )
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case textVersion = "text_version", title, text, buttonText = "button_text"
    }
}

/// A person's consent to the text that a capture shows.
public struct CaptureConsentRequest: Sendable, Hashable, Codable {
    public var textVersion: String

    public init(textVersion: String) { self.textVersion = textVersion }

    public enum CodingKeys: String, CodingKey, CaseIterable { case textVersion = "text_version" }
}

/// The actions that the person in front of the camera cannot perform.
public struct CaptureAccommodationRequest: Sendable, Hashable, Codable {
    public var omittedActions: [WireValue<CaptureAction>]

    public init(omittedActions: [WireValue<CaptureAction>]) {
        self.omittedActions = omittedActions
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case omittedActions = "omitted_actions"
    }
}

/// The state of a capture session.
public enum CaptureStatus: String, WireWord {
    case open, passed, failed, cancelled
}

/// The requirement of a capture. Each mode is stricter than the one before.
public enum CaptureMode: String, WireWord {
    case image
    case livenessPassive = "liveness_passive"
    case livenessActive = "liveness_active"
}

/// An action that the person has to perform. Left and right are the person's own.
public enum CaptureAction: String, WireWord {
    case keepStill = "keep_still"
    case blink
    case turnLeft = "turn_left"
    case turnRight = "turn_right"
    case lookUp = "look_up"
    case lookDown = "look_down"
    case openMouth = "open_mouth"
    case comeCloser = "come_closer"
}

/// Guidance for the person in front of the camera.
public enum CaptureGuidance: String, WireWord {
    case faceNotFound = "face_not_found"
    case multipleFaces = "multiple_faces"
    case faceTooFar = "face_too_far"
    case faceTooClose = "face_too_close"
    case misalignedFace = "misaligned_face"
    case tooDark = "too_dark"
    case tooBright = "too_bright"
    case lowContrast = "low_contrast"
    case tooMuchMovement = "too_much_movement"
    case eyesClosed = "eyes_closed"
    case obscuredFace = "obscured_face"
    case wait
    case lookStraight = "look_straight"
    case keepStill = "keep_still"
    case blink
    case turnLeft = "turn_left"
    case turnRight = "turn_right"
    case lookUp = "look_up"
    case lookDown = "look_down"
    case openMouth = "open_mouth"
    case comeCloser = "come_closer"
    case done
    case differentFace = "different_face"
}

/// The reason for a failed capture.
public enum CaptureReason: String, WireWord {
    case timedOut = "timed_out"
    case cancelled
    case sourceEnded = "source_ended"
    case badQuality = "bad_quality"
    case noMatch = "no_match"
    case clockWentBack = "clock_went_back"
    case actionMissed = "action_missed"
    case actionOutOfOrder = "action_out_of_order"
    case blinkMissed = "blink_missed"
    case faceLost = "face_lost"
    case faceJumped = "face_jumped"
    case faceChanged = "face_changed"
    case flat
    case repeatedFrames = "repeated_frames"
    case stillPicture = "still_picture"
    case replayed
    case printOrScreen = "print_or_screen"
    case presentationAttack = "presentation_attack"
    case lightNotFollowed = "light_not_followed"
    case lightFlat = "light_flat"
    case lightNotShown = "light_not_shown"
    case frameAltered = "frame_altered"
    case frameEarly = "frame_early"
    case frameLate = "frame_late"
    case tooManyFrames = "too_many_frames"
    case interrupted
    case differentFace = "different_face"
}
