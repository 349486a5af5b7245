/// An action that the person is asked to perform. Left and right are the person's own. The raw
/// values are stable: they are part of the wire protocol.
public enum LivenessAction: String, Sendable, CaseIterable, Codable {
    case keepStill = "keep_still", blink, turnLeft = "turn_left", turnRight = "turn_right", lookUp =
        "look_up", lookDown = "look_down"
    case openMouth = "open_mouth", comeCloser = "come_closer"

    /// The actions that can be drawn: all except keeping still, which always comes first.
    public static let drawable = allCases.filter { $0 != .keepStill }

    /// Whether the action shows the head from another side, which a flat picture cannot do.
    public var showsDepth: Bool {
        switch self {
        case .turnLeft, .turnRight, .lookUp, .lookDown: true
        case .keepStill, .blink, .openMouth, .comeCloser: false
        }
    }
}
