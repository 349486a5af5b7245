/// Whether live sessions judge how the face reflects the colors of the capturing device's screen.
public enum LightMode: String, Sendable, CaseIterable, Codable {
    /// The screen shows no colors.
    case off
    /// The check is measured and reported, but refuses nobody.
    case observe
    /// The check must pass like every other.
    case require
}

extension LightMode: Comparable {
    public static func < (a: Self, b: Self) -> Bool { a.strictness < b.strictness }

    private var strictness: Int {
        switch self {
        case .off: 0
        case .observe: 1
        case .require: 2
        }
    }
}
