/// Whether live sessions judge how the face reflects the colors of the capturing device's screen.
public enum LightMode: String, Sendable, CaseIterable, Codable {
    /// The screen shows no colors.
    case off
    /// The check is measured and reported, but refuses nobody.
    case observe
    /// The check must pass like every other.
    case require
}
