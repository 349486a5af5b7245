/// What a person is asked to do, in order, and how long to wait before each: drawn by whoever
/// judges, not by whoever is judged.
public struct LivenessChallenge: Sendable, Hashable, Codable {
    public struct Step: Sendable, Hashable, Codable {
        public let action: LivenessAction
        /// From the head's return to the front until the instruction. Drawn, too: a recording does
        /// not know when to move.
        public let pauseMilliseconds: Int

        public init(_ action: LivenessAction, pauseMilliseconds: Int = 0) {
            (self.action, self.pauseMilliseconds) = (action, pauseMilliseconds)
        }
    }

    /// How many steps a challenge may have.
    public static let lengths = 1...5
    public static let pauseRange = 0...3000

    public let steps: [Step]

    /// - Throws: ``SessionSettingError`` unless there are 1...5 steps with pauses of 0...3,000 ms,
    ///   none of them keeping still, which comes first anyway, and none twice in a row: nobody
    ///   could tell where one ends.
    public init(steps: [Step]) throws(SessionSettingError) {
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
        self.steps = steps
    }

    public init(from decoder: any Decoder) throws {
        try self.init(
            steps: try decoder.container(keyedBy: CodingKeys.self).decode(
                [Step].self, forKey: .steps))
    }

    /// Blink, and nothing else.
    public static let passive = try! LivenessChallenge(steps: [Step(.blink)])

    /// Two or three different actions in any order, one of them a turn to the left or right: the
    /// one that a flat picture cannot follow, as far as that has been measured.
    ///
    /// 22 sequences of two and 150 of three: two challenges ask for the same one time in 77. The
    /// pauses, 300 to 1,500 ms, make it rarer.
    ///
    /// - Parameters:
    ///   - count: how many, when it is not to be drawn, too; at most as many as there are actions.
    ///   - actions: what to draw from.
    /// - Precondition: `actions` are two or more different ones, a turn to the left or right among
    ///   them.
    public static func drawn(
        count: Int? = nil, from actions: [LivenessAction] = LivenessAction.drawable,
        using generator: inout some RandomNumberGenerator
    ) -> LivenessChallenge {
        precondition(
            actions.count >= 2 && actions.contains { $0.isTurn },
            "there is a turn among what is drawn from")
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

    public var actions: [LivenessAction] { steps.map(\.action) }
}

extension LivenessAction {
    fileprivate var isTurn: Bool { self == .turnLeft || self == .turnRight }
}
