/// The evidence of a live person that a capture must provide.
///
/// A missing setting is inherited: a step inherits it from the app, an app from the server.
public struct LivenessPolicy: Sendable, Hashable, Codable {
    /// From lax to strict, named like the capture modes on devices.
    public enum Mode: String, Sendable, CaseIterable, Codable {
        /// One suitable picture. A photo of the person passes.
        case image
        /// The person keeps still, then blinks. A recording of it passes.
        case livenessPassive = "liveness_passive"
        /// The person keeps still, then performs the actions that the server draws.
        case livenessActive = "liveness_active"
    }

    /// An action that can be drawn. Left and right are the person's own.
    public enum Action: String, Sendable, CaseIterable, Codable {
        case blink, turnLeft = "turn_left", turnRight = "turn_right", lookUp = "look_up", lookDown =
            "look_down"
        case openMouth = "open_mouth", comeCloser = "come_closer"
    }

    public static let gradeRange = 0...100
    public static let timeoutRange = 5...600
    public static let actionCountRange = 2...4

    public var mode: Mode?
    /// 0...100. A larger value means a longer still phase and stricter checks.
    public var threshold: Int?
    /// 0...100: the minimum quality of an accepted frame.
    public var quality: Int?
    /// 5...600 s from the start of a live session to its end.
    public var timeoutSeconds: Int?
    /// The actions to draw from: two or more, including a turn to the left or right. `nil` for all.
    public var actions: [Action]?
    /// The number of actions to draw, 2...4. `nil` draws two or three at random.
    public var actionCount: Int?
    /// Whether people may replace actions that they cannot perform. `nil` allows it.
    public var accommodation: Bool?
    /// Whether the screen shows colors that the face must reflect. Ignored in the mode `image`.
    public var light: LightMode?
    /// Whether people who must not see the colors may leave out a required check of them. `nil`
    /// forbids it. A check that is only observed can always be left out.
    public var lightAccommodation: Bool?

    public init(
        mode: Mode? = nil, threshold: Int? = nil, quality: Int? = nil, timeoutSeconds: Int? = nil,
        actions: [Action]? = nil, actionCount: Int? = nil, accommodation: Bool? = nil,
        light: LightMode? = nil, lightAccommodation: Bool? = nil
    ) {
        (self.mode, self.threshold, self.quality, self.timeoutSeconds) = (
            mode, threshold, quality, timeoutSeconds
        )
        (self.actions, self.actionCount) = (actions, actionCount)
        self.accommodation = accommodation
        (self.light, self.lightAccommodation) = (light, lightAccommodation)
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case mode, threshold, quality, timeoutSeconds = "timeout_seconds", actions, actionCount =
            "action_count", accommodation, light, lightAccommodation = "light_accommodation"
    }

    /// The names of the settings.
    public static let keys = CodingKeys.allCases.map(\.rawValue)
}

extension LivenessPolicy.Mode: Comparable {
    public static func < (a: Self, b: Self) -> Bool { a.strictness < b.strictness }

    private var strictness: Int {
        switch self {
        case .image: 0
        case .livenessPassive: 1
        case .livenessActive: 2
        }
    }
}

extension LivenessPolicy {
    /// Returns this policy with missing settings taken from `general`.
    public func filled(from general: Self) -> Self {
        Self(
            mode: mode ?? general.mode, threshold: threshold ?? general.threshold,
            quality: quality ?? general.quality,
            timeoutSeconds: timeoutSeconds ?? general.timeoutSeconds,
            actions: actions ?? general.actions,
            actionCount: actionCount ?? general.actionCount,
            accommodation: accommodation ?? general.accommodation,
            light: light ?? general.light,
            lightAccommodation: lightAccommodation ?? general.lightAccommodation)
    }

    /// Returns the stricter value of each setting of this policy and `step`. A step narrows what
    /// its app allows and never widens it.
    public func tightened(by step: Self) -> Self {
        func stricter<Value>(_ a: Value?, _ b: Value?, _ choose: (Value, Value) -> Value) -> Value?
        {
            guard let a, let b else { return a ?? b }
            return choose(a, b)
        }
        let count = stricter(actionCount, step.actionCount, max)
        return Self(
            mode: stricter(mode, step.mode, max),
            threshold: stricter(threshold, step.threshold, max),
            quality: stricter(quality, step.quality, max),
            timeoutSeconds: stricter(timeoutSeconds, step.timeoutSeconds, min),
            actions: stricter(actions, step.actions) { mine, theirs in
                // The remaining actions must suffice for the draw; otherwise the app's list stays.
                let both = theirs.filter(mine.contains)
                return Self.canBeDrawn(both) && both.count >= count ?? 0 ? both : mine
            }, actionCount: count,
            accommodation: stricter(accommodation, step.accommodation) { $0 && $1 },
            light: stricter(light, step.light, max),
            lightAccommodation: stricter(lightAccommodation, step.lightAccommodation) { $0 && $1 })
    }

    /// The invalid settings, each with its name and a message; empty if all are valid.
    public var faults: [(setting: String, message: String)] {
        var faults: [(String, String)] = []
        if let threshold, !Self.gradeRange.contains(threshold) {
            faults.append(("threshold", "must be 0 to 100"))
        }
        if let quality, !Self.gradeRange.contains(quality) {
            faults.append(("quality", "must be 0 to 100"))
        }
        if let timeoutSeconds, !Self.timeoutRange.contains(timeoutSeconds) {
            faults.append(("timeout_seconds", "must be 5 to 600"))
        }
        if let actions, !Self.canBeDrawn(actions) { faults.append(("actions", Self.actionRule)) }
        if let actionCount, !Self.actionCountRange.contains(actionCount) {
            faults.append(("action_count", "must be 2 to 4"))
        }
        if let actionCount, let actions, actionCount > actions.count {
            faults.append(("action_count", "exceeds the number of actions to draw from"))
        }
        return faults
    }

    /// Whether every draw includes a turn, which a flat picture cannot follow.
    private static func canBeDrawn(_ actions: [Action]) -> Bool {
        actions.count >= 2 && Set(actions).count == actions.count
            && (actions.contains(.turnLeft) || actions.contains(.turnRight))
    }

    public static let actionRule =
        "must contain two or more different actions, including turn_left or turn_right"
}
