/// Whether live sessions judge the face with the pack's presentation-attack network.
public enum PresentationMode: String, Sendable, CaseIterable, Codable {
    /// The network does not run.
    case off
    /// The check is measured and reported, but refuses nobody.
    case observe
    /// The check must pass like every other.
    case require
}
