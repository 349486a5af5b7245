/// What a person is asked to do. Left and right are the person's own. Stable words: part of the
/// wire protocol.
public enum LivenessAction: String, Sendable, CaseIterable, Codable {
    case keepStill = "keep_still", blink, turnLeft = "turn_left", turnRight = "turn_right", lookUp =
        "look_up", lookDown = "look_down"
    case openMouth = "open_mouth", comeCloser = "come_closer"

    /// What can be drawn: all but keeping still, which always comes first.
    public static let drawable = allCases.filter { $0 != .keepStill }

    /// Does it show the head from another side? A flat picture cannot follow.
    public var showsDepth: Bool {
        switch self {
        case .turnLeft, .turnRight, .lookUp, .lookDown: true
        case .keepStill, .blink, .openMouth, .comeCloser: false
        }
    }
}
