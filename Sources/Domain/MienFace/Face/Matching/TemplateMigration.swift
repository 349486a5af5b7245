public import MienCore

/// The rules for replacing a face template by one of another model pack. Servers and devices share
/// them.
///
/// Templates are comparable only within their pack, so the old template decides at a live capture
/// that is described for both packs. docs/face-migration.md has the reasons.
public enum TemplateMigration {
    /// The score from which on a capture suffices by itself: a false match rate of 1 in 100,000.
    public static let minScore = MatchScore(60)
    /// How long a replaced template is kept.
    public static let keptFor = Duration.seconds(30 * 86_400)
    /// The overlap of two boxes from which on they show one face, 0...1.
    public static let sameFaceOverlap = 0.5

    /// The reason for which a template is replaced.
    public enum Ground: String, Sendable, Hashable, CaseIterable {
        case score
        case secondFactor = "second-factor"
    }

    /// Returns why a capture may replace the template that it matched, or `nil` if it lacks a second
    /// factor.
    ///
    /// - Parameters:
    ///   - score: The score against the old template, which passed the usual threshold.
    ///   - hasSecondFactor: Whether the person has proved something else than the face, too.
    public static func ground(score: MatchScore, hasSecondFactor: Bool = false) -> Ground? {
        score >= minScore ? .score : hasSecondFactor ? .secondFactor : nil
    }
}
