public import MienCore

/// Whether and how an app looks for people who register their faces under several accounts.
///
/// A registered face is compared with every other face of the app, so the probability of a false
/// report grows with their number: among n faces, about n times the false-match rate of
/// ``minScore``.
public struct DuplicateFaceSettings: Sendable, Hashable, Codable {
    /// 48 is a false-match rate of 1 in 10,000: one false report for every registration among
    /// 10,000 faces. Lower scores would report strangers only.
    public static let scoreRange = 48.0...72.0
    /// The highest score, at most 1 in 1,000,000: one false report for every hundred registrations
    /// among 10,000 faces.
    public static let standardScore = 72.0
    static let maxVersions = 32

    /// The minimum match score of a probable duplicate.
    public var minScore: Double
    /// The versions of the operator's own consent texts that name the search. Where the server asks
    /// for the consent during a capture, it names the search itself.
    public var consentVersions: [String]

    public init(minScore: Double = standardScore, consentVersions: [String] = []) {
        (self.minScore, self.consentVersions) = (minScore, consentVersions)
    }

    public var threshold: MatchScore { MatchScore(minScore) }

    /// The invalid settings, each with its name and a message; empty if all are valid.
    public var faults: [(setting: String, message: String)] {
        var faults: [(String, String)] = []
        if !Self.scoreRange.contains(minScore) { faults.append(("min_score", "must be 48 to 72")) }
        if consentVersions.count > Self.maxVersions
            || consentVersions.contains(where: { !(1...100).contains($0.utf8.count) })
        {
            faults.append(
                (
                    "consent_versions",
                    "must contain at most \(Self.maxVersions) versions of 1 to 100 bytes"
                ))
        }
        return faults
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case minScore = "min_score", consentVersions = "consent_versions"
    }

    /// The names of the settings.
    public static let keys = CodingKeys.allCases.map(\.rawValue)

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            minScore: try values.decodeIfPresent(Double.self, forKey: .minScore)
                ?? Self.standardScore,
            consentVersions: try values.decodeIfPresent([String].self, forKey: .consentVersions)
                ?? [])
    }
}
