/// A reason for refusing a session.
///
/// Reasons of liveness checks are in the files of the checks.
public struct SessionRefusal: Sendable {
    /// Stable: part of JSON output and of the wire protocol.
    public let rawValue: String
    /// The explanation for the caller of the session, such as “the time ran out”.
    public let words: String
    /// Whether a presentation was judged and did not pass as live.
    public let isOfLiveness: Bool

    init(_ rawValue: String, _ words: String, isOfLiveness: Bool = true) {
        (self.rawValue, self.words, self.isOfLiveness) = (rawValue, words, isOfLiveness)
    }
}

extension SessionRefusal {
    public static let timedOut = SessionRefusal(
        "timed_out", "the time ran out", isOfLiveness: false)
    public static let cancelled = SessionRefusal(
        "cancelled", "it was interrupted", isOfLiveness: false)
    /// The source ended before the session.
    public static let sourceEnded = SessionRefusal(
        "source_ended", "the video ended first", isOfLiveness: false)
    /// No frame had sufficient quality.
    public static let badQuality = SessionRefusal(
        "bad_quality", "no frame was good enough", isOfLiveness: false)
    /// The face does not match the enrolled one.
    public static let noMatch = SessionRefusal(
        "no_match", "it is another face", isOfLiveness: false)
    /// A frame's time precedes that of an earlier frame.
    public static let clockWentBack = SessionRefusal(
        "clock_went_back", "the frames' times went back", isOfLiveness: false)
}

extension SessionRefusal: RawRepresentable, Hashable, Codable, CaseIterable {
    public static let allCases: [SessionRefusal] =
        [.timedOut, .cancelled, .sourceEnded, .badQuality, .noMatch, .clockWentBack]
        + LivenessChecks.all.flatMap { $0.refusals } + [.replayed]

    private static let byRawValue = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    /// - Returns: `nil` for an unknown value.
    public init?(rawValue: String) {
        guard let known = Self.byRawValue[rawValue] else { return nil }
        self = known
    }
}
