/// The actions that a person must perform, in order, and the pause before each. The party that
/// judges the session must draw it, not the party being judged.
public struct LivenessChallenge: Sendable, Hashable, Codable {
    public struct Step: Sendable, Hashable, Codable {
        public let action: LivenessAction
        /// The time from the head's return to the front until the instruction. It is random as
        /// well, so that a recording cannot anticipate when to move.
        public let pauseMilliseconds: Int

        public init(_ action: LivenessAction, pauseMilliseconds: Int = 0) {
            (self.action, self.pauseMilliseconds) = (action, pauseMilliseconds)
        }
    }

    /// The allowed number of steps.
    public static let lengths = 1...5
    public static let pauseRange = 0...3000

    public let steps: [Step]
    /// The colors that the screen of the capturing device shows during the whole session; `nil` for
    /// none.
    public var light: LightChallenge?

    /// - Throws: ``SessionSettingError`` unless there are 1...5 steps with pauses of 0...3,000 ms.
    ///   Keeping still is not allowed as a step, because it always comes first. The same action may
    ///   not occur twice in a row, because the two could not be told apart.
    public init(steps: [Step], light: LightChallenge? = nil) throws(SessionSettingError) {
        try SessionSettingError.check(
            Self.lengths.contains(steps.count), "challenge", "1...5 actions")
        try SessionSettingError.check(
            steps.allSatisfy { $0.action != .keepStill }, "challenge",
            "actions other than keep_still")
        try SessionSettingError.check(
            zip(steps, steps.dropFirst()).allSatisfy { $0.action != $1.action }, "challenge",
            "no action twice in a row")
        try SessionSettingError.check(
            steps.allSatisfy { Self.pauseRange.contains($0.pauseMilliseconds) }, "challenge",
            "pauses of 0...3000 ms")
        (self.steps, self.light) = (steps, light)
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            steps: try values.decode([Step].self, forKey: .steps),
            light: try values.decodeIfPresent(LightChallenge.self, forKey: .light))
    }

    /// A challenge that asks only for a blink.
    public static let passive = try! LivenessChallenge(steps: [Step(.blink)])

    /// Draws two or three different actions in random order, one of them a turn to the left or
    /// right. Measurements so far show that a flat picture cannot imitate a turn.
    ///
    /// There are 22 sequences of two actions and 150 of three, so two challenges are the same once
    /// in 77. The pauses, 300 to 1,500 ms, make it rarer.
    ///
    /// - Parameters:
    ///   - count: A fixed number of actions instead of a random one, at most the number of
    ///     `actions`.
    ///   - actions: The actions to draw from.
    /// - Precondition: `actions` holds two or more different actions, including a turn to the left
    ///   or right.
    public static func drawn(
        count: Int? = nil, from actions: [LivenessAction] = LivenessAction.drawable,
        using generator: inout some RandomNumberGenerator
    ) -> LivenessChallenge {
        precondition(
            actions.count >= 2 && actions.contains { $0.isTurn },
            "actions must include a turn to the left or right")
        let count = min(count ?? Int.random(in: 2...3, using: &generator), actions.count)
        while true {
            let drawn = actions.shuffled(using: &generator).prefix(count)
            guard drawn.contains(where: \.isTurn) else { continue }
            return try! LivenessChallenge(
                steps: drawn.map {
                    Step($0, pauseMilliseconds: Int.random(in: 300...1500, using: &generator))
                })
        }
    }

    /// Returns the same actions with colors.
    public func lit(by light: LightChallenge?) -> LivenessChallenge {
        var lit = self
        lit.light = light
        return lit
    }

    public var actions: [LivenessAction] { steps.map(\.action) }
}

extension LivenessAction {
    var isTurn: Bool { self == .turnLeft || self == .turnRight }
}
