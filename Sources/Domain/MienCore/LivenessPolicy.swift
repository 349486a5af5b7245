/// What a capture has to show before it counts as one of a live person.
///
/// What is left out is for somebody else to say: a step leaves it to the app, an app to the server.
public struct LivenessPolicy: Sendable, Hashable, Codable {
    /// From lax to strict. The words are those of captures on devices.
    public enum Mode: String, Sendable, CaseIterable, Codable {
        /// One good picture. A photo of the person passes.
        case image
        /// Keep still, then blink. A recording of it passes.
        case livenessPassive = "liveness_passive"
        /// Keep still, then do what the server draws.
        case livenessActive = "liveness_active"
    }

    /// What can be drawn. Left and right are the person's own.
    public enum Action: String, Sendable, CaseIterable, Codable {
        case blink, turnLeft = "turn_left", turnRight = "turn_right", lookUp = "look_up", lookDown =
            "look_down"
        case openMouth = "open_mouth", comeCloser = "come_closer"
    }

    public static let gradeRange = 0...100
    public static let timeoutRange = 5...600
    public static let actionCountRange = 2...4

    public var mode: Mode?
    /// 0...100; larger: a longer still phase, every check stricter.
    public var threshold: Int?
    /// 0...100: the least quality of a frame that is taken.
    public var quality: Int?
    /// 5...600 s from the start of a live session to its end.
    public var timeoutSeconds: Int?
    /// What is drawn from: two or more, a turn to the left or right among them. `nil` for all.
    public var actions: [Action]?
    /// How many are drawn, 2...4. `nil` for two or three, drawn too.
    public var actionCount: Int?

    public init(
        mode: Mode? = nil, threshold: Int? = nil, quality: Int? = nil, timeoutSeconds: Int? = nil,
        actions: [Action]? = nil, actionCount: Int? = nil
    ) {
        (self.mode, self.threshold, self.quality, self.timeoutSeconds) = (
            mode, threshold, quality, timeoutSeconds
        )
        (self.actions, self.actionCount) = (actions, actionCount)
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case mode, threshold, quality, timeoutSeconds = "timeout_seconds", actions, actionCount =
            "action_count"
    }

    /// The settings' names.
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
    /// What is left out here is as `general` says.
    public func filled(from general: Self) -> Self {
        Self(
            mode: mode ?? general.mode, threshold: threshold ?? general.threshold,
            quality: quality ?? general.quality,
            timeoutSeconds: timeoutSeconds ?? general.timeoutSeconds,
            actions: actions ?? general.actions,
            actionCount: actionCount ?? general.actionCount)
    }

    /// With what `step` asks for: of each setting the stricter one. A step narrows what its app
    /// allows and never widens it.
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
                // What is left has to be enough to draw from, and as many as are asked for; else
                // the app's word stands.
                let both = theirs.filter(mine.contains)
                return Self.canBeDrawn(both) && both.count >= count ?? 0 ? both : mine
            }, actionCount: count)
    }

    /// What is wrong: name of the setting and words; empty when nothing is.
    public var faults: [(setting: String, message: String)] {
        var faults: [(String, String)] = []
        if let threshold, !Self.gradeRange.contains(threshold) {
            faults.append(("threshold", "is 0 to 100"))
        }
        if let quality, !Self.gradeRange.contains(quality) {
            faults.append(("quality", "is 0 to 100"))
        }
        if let timeoutSeconds, !Self.timeoutRange.contains(timeoutSeconds) {
            faults.append(("timeout_seconds", "is 5 to 600"))
        }
        if let actions, !Self.canBeDrawn(actions) { faults.append(("actions", Self.actionRule)) }
        if let actionCount, !Self.actionCountRange.contains(actionCount) {
            faults.append(("action_count", "is 2 to 4"))
        }
        if let actionCount, let actions, actionCount > actions.count {
            faults.append(("action_count", "is more than there are actions to draw from"))
        }
        return faults
    }

    /// A flat picture does not follow a turn: one of the two is always among what is drawn.
    private static func canBeDrawn(_ actions: [Action]) -> Bool {
        actions.count >= 2 && Set(actions).count == actions.count
            && (actions.contains(.turnLeft) || actions.contains(.turnRight))
    }

    public static let actionRule =
        "holds two or more different actions, turn_left or turn_right among them"
}
