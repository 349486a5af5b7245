public import MienCore

/// The way in which a person is captured.
public enum FaceCaptureMode: String, Sendable, CaseIterable, Codable {
    /// One good picture, without liveness detection.
    case image
    /// Keep still, then blink. The sequence never changes, so a recording of it passes. For
    /// compatibility only.
    case livenessPassive = "liveness_passive"
    /// Keep still, then perform two or three randomly drawn actions.
    case livenessActive = "liveness_active"
}

/// A setting that is out of range.
public struct SessionSettingError: Error, Sendable, Equatable, CustomStringConvertible {
    public let setting: String
    public let allowed: String

    public var description: String { "\(setting) must be \(allowed)" }

    public init(setting: String, allowed: String) {
        (self.setting, self.allowed) = (setting, allowed)
    }

    static func check(_ holds: Bool, _ setting: String, _ allowed: String)
        throws(SessionSettingError)
    {
        guard holds else { throw SessionSettingError(setting: setting, allowed: allowed) }
    }
}

/// Settings for an enrollment session.
public struct EnrollmentSettings: Sendable, Hashable {
    /// The sides of the head to capture.
    public enum Views: String, Sendable, CaseIterable, Codable {
        /// Front only.
        case simple
        /// Front, right, left, bottom, and top.
        case full
    }

    /// The party that chooses the frames.
    public enum Control: String, Sendable, CaseIterable, Codable {
        /// The session takes suitable frames until it has enough.
        case automatic
        /// The app adds frames and completes the enrollment, with ``EnrollmentControl``.
        case manual
    }

    public let mode: FaceCaptureMode
    public let views: Views
    public let control: Control
    /// 0...100. Higher values lengthen the still phase and make every check stricter.
    public let livenessThreshold: Int
    /// 0...100. Frames below it are not taken.
    public let qualityThreshold: Int
    /// 0...3,600 s before frames are taken.
    public let countdownToCapture: Duration
    /// 1...8 frontal frames. In full mode, 1...4 frontal frames and one of each other side. With
    /// manual control, a number to show: the app may take 1...8.
    public let framesToEnroll: Int
    /// 1...3,600 s for the whole session, from its first frame.
    public let timeout: Duration
    /// Whether the pack's presentation-attack network must accept the face. Ignored in the mode
    /// `image`.
    public let presentation: PresentationMode
    /// Whether the face must reflect the colors that the screen shows. ``LightMode/off`` for people
    /// who must not see them. Ignored in the mode `image`.
    public let light: LightMode
    /// The strength of the colors that drawn challenges have.
    public let lightStyle: LightChallenge.Style
    /// Actions that the person cannot perform, which drawn challenges replace: at most two, and
    /// not both turns. See ``LivenessChallenge/drawn(omitting:count:from:using:)``.
    public let omittedActions: Set<LivenessAction>

    /// Creates settings. The defaults are those of the guide.
    ///
    /// - Throws: ``SessionSettingError``, which names the setting and its allowed range.
    public init(
        mode: FaceCaptureMode = .image, views: Views = .simple,
        control: Control = .automatic, livenessThreshold: Int = 0,
        qualityThreshold: Int = FaceQuality.defaultThreshold,
        countdownToCapture: Duration = .seconds(5), framesToEnroll: Int = 4,
        timeout: Duration = .seconds(30), presentation: PresentationMode = .off,
        light: LightMode = .off, lightStyle: LightChallenge.Style = .vivid,
        omittedActions: Set<LivenessAction> = []
    ) throws(SessionSettingError) {
        try SessionSettingError.check(
            (0...100).contains(livenessThreshold), "livenessThreshold", "0...100")
        try SessionSettingError.check(
            (0...100).contains(qualityThreshold), "qualityThreshold", "0...100")
        try SessionSettingError.check(
            (.zero ... .seconds(3600)).contains(countdownToCapture), "countdownToCapture",
            "0...3600 seconds")
        // A template holds eight entries.
        let maxFrames =
            views == .simple
            ? FaceTemplate.entryRange.upperBound : FaceTemplate.entryRange.upperBound - 4
        try SessionSettingError.check(
            (1...maxFrames).contains(framesToEnroll), "framesToEnroll",
            "1...\(maxFrames) in \(views.rawValue) mode")
        try SessionSettingError.check(
            (.seconds(1) ... .seconds(3600)).contains(timeout), "timeout", "1...3600 seconds")
        try SessionSettingError.check(
            omittedActions.isEmpty || LivenessChallenge.remaining(omitting: omittedActions) != nil,
            "omittedActions", "at most two actions, and not both turns")
        self.omittedActions = omittedActions
        (self.mode, self.views, self.control) = (mode, views, control)
        (self.livenessThreshold, self.qualityThreshold) = (livenessThreshold, qualityThreshold)
        (self.countdownToCapture, self.framesToEnroll, self.timeout) = (
            countdownToCapture, framesToEnroll, timeout
        )
        self.presentation = presentation
        (self.light, self.lightStyle) = (light, lightStyle)
    }

    public static let standard = try! EnrollmentSettings()
}

/// Settings for a verification session.
public struct VerificationSettings: Sendable, Hashable {
    public let mode: FaceCaptureMode
    /// 0...100. Higher values lengthen the still phase and make every check stricter.
    public let livenessThreshold: Int
    /// 0...100. Frames below it are not compared.
    public let qualityThreshold: Int
    /// 0...30 s from the instruction to blink.
    public let blinkTimeout: Duration
    /// 1...30 s from any other instruction.
    public let actionTimeout: Duration
    /// 0...72. A threshold of 48 accepts about one stranger in 10,000.
    public let matchingThreshold: MatchScore
    /// 1...3,600 s for the whole session, from its first frame.
    public let timeout: Duration
    /// Whether the pack's presentation-attack network must accept the face. Ignored in the mode
    /// `image`.
    public let presentation: PresentationMode
    /// Whether the face must reflect the colors that the screen shows. ``LightMode/off`` for people
    /// who must not see them. Ignored in the mode `image`.
    public let light: LightMode
    /// The strength of the colors that drawn challenges have.
    public let lightStyle: LightChallenge.Style
    /// Actions that the person cannot perform, which drawn challenges replace: at most two, and
    /// not both turns. See ``LivenessChallenge/drawn(omitting:count:from:using:)``.
    public let omittedActions: Set<LivenessAction>

    /// Creates settings. The defaults are those of the guide.
    ///
    /// - Throws: ``SessionSettingError``, which names the setting and its allowed range.
    public init(
        mode: FaceCaptureMode = .livenessPassive, livenessThreshold: Int = 0,
        qualityThreshold: Int = FaceQuality.defaultThreshold,
        blinkTimeout: Duration = .seconds(5), actionTimeout: Duration = .seconds(7),
        matchingThreshold: MatchScore = .defaultThreshold,
        timeout: Duration = .seconds(30), presentation: PresentationMode = .off,
        light: LightMode = .off, lightStyle: LightChallenge.Style = .vivid,
        omittedActions: Set<LivenessAction> = []
    ) throws(SessionSettingError) {
        try SessionSettingError.check(
            (0...100).contains(livenessThreshold), "livenessThreshold", "0...100")
        try SessionSettingError.check(
            (0...100).contains(qualityThreshold), "qualityThreshold", "0...100")
        try SessionSettingError.check(
            (.zero ... .seconds(30)).contains(blinkTimeout), "livenessBlinkTimeout",
            "0...30000 milliseconds")
        try SessionSettingError.check(
            (.seconds(1) ... .seconds(30)).contains(actionTimeout), "actionTimeout",
            "1...30 seconds")
        try SessionSettingError.check(
            (.seconds(1) ... .seconds(3600)).contains(timeout), "timeout", "1...3600 seconds")
        try SessionSettingError.check(
            omittedActions.isEmpty || LivenessChallenge.remaining(omitting: omittedActions) != nil,
            "omittedActions", "at most two actions, and not both turns")
        self.omittedActions = omittedActions
        (self.mode, self.livenessThreshold, self.qualityThreshold) = (
            mode, livenessThreshold, qualityThreshold
        )
        (self.blinkTimeout, self.actionTimeout, self.matchingThreshold, self.timeout) = (
            blinkTimeout, actionTimeout, matchingThreshold, timeout
        )
        self.presentation = presentation
        (self.light, self.lightStyle) = (light, lightStyle)
    }

    public static let standard = try! VerificationSettings()
}

extension EnrollmentSettings {
    /// Draws colors for the whole session; `nil` if ``light`` is off.
    public func colors(using generator: inout some RandomNumberGenerator) -> LightChallenge? {
        light == .off ? nil : .drawn(lightStyle, for: timeout, using: &generator)
    }

    /// Draws a challenge without ``omittedActions``, with colors unless ``light`` is off.
    public func challenge(using generator: inout some RandomNumberGenerator) -> LivenessChallenge {
        .drawn(omitting: omittedActions, using: &generator)!.lit(by: colors(using: &generator))
    }
}

extension VerificationSettings {
    /// Draws colors for the whole session; `nil` if ``light`` is off.
    public func colors(using generator: inout some RandomNumberGenerator) -> LightChallenge? {
        light == .off ? nil : .drawn(lightStyle, for: timeout, using: &generator)
    }

    /// Draws a challenge without ``omittedActions``, with colors unless ``light`` is off.
    public func challenge(using generator: inout some RandomNumberGenerator) -> LivenessChallenge {
        .drawn(omitting: omittedActions, using: &generator)!.lit(by: colors(using: &generator))
    }
}

extension VerificationSettings {
    /// - Throws: ``SessionSettingError`` when the check of the light is required and `challenge` has
    ///   no colors.
    func check(_ challenge: LivenessChallenge?) throws(SessionSettingError) {
        try SessionSettingError.check(
            mode == .image || light != .require || challenge?.light != nil, "challenge",
            "present, with colors, where the check of the light is required")
    }
}
