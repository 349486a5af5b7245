public import MienCore

/// The scores that decide whether a face is that of a portrait on a document. Set on degraded photos
/// of other people than those on whom `docs/measurements/documents.md` reports their error rates.
extension MatchScore {
    /// From this score on, the face is the portrait's.
    public static let portraitMatch = MatchScore(46)
    /// Below this score, it is somebody else's. In between, a person has to decide.
    public static let portraitMismatch = MatchScore(24)
}
