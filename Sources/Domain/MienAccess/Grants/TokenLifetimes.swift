/// How long an app's users stay signed in.
///
/// The finance example of the biometric-login guide: refresh tokens for 3,600 s, expiring after
/// 1,800 s of idling.
public struct TokenLifetimes: Sendable, Hashable, Codable {
    public static let accessRange = 300...86_400
    public static let refreshRange = 300...63_072_000
    public static let idleRange = 60...63_072_000

    /// An access token's, in seconds.
    public var accessSeconds: Int
    /// From signing in, however busy the user is, in seconds.
    public var refreshSeconds: Int
    public var expiresAfterIdling: Bool
    /// From the last use of the refresh token, in seconds.
    public var idleSeconds: Int

    /// Half an hour; a year; a month.
    public init(
        accessSeconds: Int = 1800, refreshSeconds: Int = 31_449_600,
        expiresAfterIdling: Bool = true, idleSeconds: Int = 2_592_000
    ) {
        (self.accessSeconds, self.refreshSeconds) = (accessSeconds, refreshSeconds)
        (self.expiresAfterIdling, self.idleSeconds) = (expiresAfterIdling, idleSeconds)
    }

    /// What is wrong: name of the setting and words; empty when nothing is.
    public var faults: [(setting: String, message: String)] {
        var faults: [(String, String)] = []
        if !Self.accessRange.contains(accessSeconds) {
            faults.append(("access_token_seconds", "is 300 (5 minutes) to 86,400 (a day)"))
        }
        if !Self.refreshRange.contains(refreshSeconds) {
            faults.append(("refresh_token_seconds", "is 300 (5 minutes) to 63,072,000 (two years)"))
        }
        if !Self.idleRange.contains(idleSeconds) {
            faults.append(("idle_seconds", "is 60 (a minute) to 63,072,000 (two years)"))
        }
        return faults
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case accessSeconds = "access_token_seconds", refreshSeconds = "refresh_token_seconds",
            expiresAfterIdling = "expire_after_idling"
        case idleSeconds = "idle_seconds"
    }

    /// The settings' names.
    public static let keys = CodingKeys.allCases.map(\.rawValue)

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self), standard = Self()
        self.init(
            accessSeconds: try values.decodeIfPresent(Int.self, forKey: .accessSeconds)
                ?? standard.accessSeconds,
            refreshSeconds: try values.decodeIfPresent(Int.self, forKey: .refreshSeconds)
                ?? standard.refreshSeconds,
            expiresAfterIdling: try values.decodeIfPresent(Bool.self, forKey: .expiresAfterIdling)
                ?? standard.expiresAfterIdling,
            idleSeconds: try values.decodeIfPresent(Int.self, forKey: .idleSeconds)
                ?? standard.idleSeconds)
    }
}
