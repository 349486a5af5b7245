public import MienCore

/// How a person is captured.
public enum FaceCaptureMode: String, Sendable, CaseIterable, Codable {
    /// One good picture. Says nothing of whether somebody is there.
    case image
    /// Keep still, then blink. The same every time, so a recording of it passes: for compatibility.
    case livenessPassive = "liveness_passive"
    /// Keep still, then two or three actions that were drawn at random.
    case livenessActive = "liveness_active"
}

/// A setting is not in its range.
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

/// How to enrol.
public struct EnrollmentSettings: Sendable, Hashable {
    /// Which sides of the head are wanted.
    public enum Views: String, Sendable, CaseIterable, Codable {
        /// From the front.
        case simple
        /// Front, right, left, bottom, top.
        case full
    }

    public let mode: FaceCaptureMode
    public let views: Views
    /// 0...100; larger makes the still phase longer and every check stricter.
    public let livenessThreshold: Int
    /// 0...100. Frames under it are not taken.
    public let qualityThreshold: Int
    /// 0...3,600 s before frames are taken.
    public let countdownToCapture: Duration
    /// 1...8 frames from the front; in full mode one of each other side besides, with 1...4 from
    /// the front.
    public let framesToEnroll: Int
    /// 1...3,600 s for the whole session, from its first frame.
    public let timeout: Duration

    /// The defaults are those of the guide.
    ///
    /// - Throws: ``SessionSettingError`` that names the setting and what is allowed.
    public init(
        mode: FaceCaptureMode = .image, views: Views = .simple, livenessThreshold: Int = 0,
        qualityThreshold: Int = FaceQuality.defaultThreshold,
        countdownToCapture: Duration = .seconds(5), framesToEnroll: Int = 4,
        timeout: Duration = .seconds(30)
    ) throws(SessionSettingError) {
        try SessionSettingError.check(
            (0...100).contains(livenessThreshold), "livenessThreshold", "0...100")
        try SessionSettingError.check(
            (0...100).contains(qualityThreshold), "qualityThreshold", "0...100")
        try SessionSettingError.check(
            (.zero ... .seconds(3600)).contains(countdownToCapture), "countdownToCapture",
            "0...3600 seconds")
        // A template holds eight.
        let most =
            views == .simple
            ? FaceTemplate.entryRange.upperBound : FaceTemplate.entryRange.upperBound - 4
        try SessionSettingError.check(
            (1...most).contains(framesToEnroll), "framesToEnroll",
            "1...\(most) in \(views.rawValue) mode")
        try SessionSettingError.check(
            (.seconds(1) ... .seconds(3600)).contains(timeout), "timeout", "1...3600 seconds")
        (self.mode, self.views, self.livenessThreshold, self.qualityThreshold) = (
            mode, views, livenessThreshold, qualityThreshold
        )
        (self.countdownToCapture, self.framesToEnroll, self.timeout) = (
            countdownToCapture, framesToEnroll, timeout
        )
    }

    public static let standard = try! EnrollmentSettings()
}

/// How to verify.
public struct VerificationSettings: Sendable, Hashable {
    public let mode: FaceCaptureMode
    /// 0...100; larger makes the still phase longer and every check stricter.
    public let livenessThreshold: Int
    /// 0...100. A frame under it is not compared.
    public let qualityThreshold: Int
    /// 0...30 s from the instruction to blink.
    public let blinkTimeout: Duration
    /// 1...30 s from any other instruction.
    public let actionTimeout: Duration
    /// 0...72; 48 lets in about one stranger in 10,000.
    public let matchingThreshold: MatchScore
    /// 1...3,600 s for the whole session, from its first frame.
    public let timeout: Duration

    /// The defaults are those of the guide.
    ///
    /// - Throws: ``SessionSettingError`` that names the setting and what is allowed.
    public init(
        mode: FaceCaptureMode = .livenessPassive, livenessThreshold: Int = 0,
        qualityThreshold: Int = FaceQuality.defaultThreshold,
        blinkTimeout: Duration = .seconds(5), actionTimeout: Duration = .seconds(7),
        matchingThreshold: MatchScore = .defaultThreshold,
        timeout: Duration = .seconds(30)
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
        (self.mode, self.livenessThreshold, self.qualityThreshold) = (
            mode, livenessThreshold, qualityThreshold
        )
        (self.blinkTimeout, self.actionTimeout, self.matchingThreshold, self.timeout) = (
            blinkTimeout, actionTimeout, matchingThreshold, timeout
        )
    }

    public static let standard = try! VerificationSettings()
}
