public import MienCore

/// The outcome of a verification, from the mildest to the strictest.
///
/// Journeys write it in lower case.
public enum IdentityRecommendation: String, WireWord, Comparable {
    case allow = "ALLOW"
    /// A person decides.
    case challenge = "CHALLENGE"
    case deny = "DENY"

    public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .allow: 0
        case .challenge: 1
        case .deny: 2
        }
    }
}

extension RecommendationRules {
    /// The recommendation for an attempt's checks.
    ///
    /// Whatever the rules say, nobody is allowed after a failed check, without a passed one, or for
    /// a face that was not captured live unless the app accepts still pictures.
    ///
    /// - Parameter acceptsStillFaces: Whether the app accepts a face without a live capture.
    public func recommendation(for checks: IdentityChecks, acceptsStillFaces: Bool = false)
        -> IdentityRecommendation
    {
        var judged = checks
        if acceptsStillFaces, judged[.live] == .notChecked { judged[.live] = nil }
        let results = judged.results.values
        let found = answer(to: judged)
        let isAllowed =
            results.contains(.passed) && !results.contains(.failed)
            && (judged[.live] ?? .passed) == .passed
        return isAllowed ? found : max(found, .challenge)
    }
}
