/// The lifetimes of an app's tokens: how long its users stay signed in.
///
/// Finance example of the biometric-login guide: refresh tokens expire after 3,600 s, or after
/// 1,800 s without use.
public struct TokenLifetimes: Sendable, Hashable, Codable {
    public static let accessRange = 300...86_400
    public static let refreshRange = 300...63_072_000
    public static let idleRange = 60...63_072_000

    /// The maximum lifetime of an access token, in seconds. It is at most a sixth of the idle
    /// time.
    public var accessSeconds: Int
    /// The time from sign-in, regardless of use, in seconds.
    public var refreshSeconds: Int
    public var expiresAfterIdling: Bool
    /// The time from the last activity, in seconds. Activity is a refresh, or a request with an
    /// access token that the server sees.
    public var idleSeconds: Int

    /// The number of access tokens that fit into the idle time, so that a client that is in use
    /// refreshes well before its sign-in is idle. With 1,800 s of idle time, access tokens last
    /// 300 s, and a client that makes a request at least every 25 minutes stays signed in although
    /// the server sees only its refreshes.
    public static let accessTokensPerIdleTime = 6

    /// The defaults are half an hour, a year, and a month.
    public init(
        accessSeconds: Int = 1800, refreshSeconds: Int = 31_449_600,
        expiresAfterIdling: Bool = true, idleSeconds: Int = 2_592_000
    ) {
        (self.accessSeconds, self.refreshSeconds) = (accessSeconds, refreshSeconds)
        (self.expiresAfterIdling, self.idleSeconds) = (expiresAfterIdling, idleSeconds)
    }

    /// The lifetimes of a sign-in without refresh tokens. Nothing renews it, so it ends with its
    /// only access token, which lasts no longer than an idle sign-in.
    public var withoutRefresh: Self {
        var lifetimes = self
        if expiresAfterIdling { lifetimes.accessSeconds = min(accessSeconds, idleSeconds) }
        lifetimes.refreshSeconds = lifetimes.accessSeconds
        lifetimes.expiresAfterIdling = false
        return lifetimes
    }

    /// The invalid settings, each with its name and a message; empty if all are valid.
    public var faults: [(setting: String, message: String)] {
        var faults: [(String, String)] = []
        if !Self.accessRange.contains(accessSeconds) {
            faults.append(("access_token_seconds", "must be 300 (5 minutes) to 86,400 (a day)"))
        }
        if !Self.refreshRange.contains(refreshSeconds) {
            faults.append(
                ("refresh_token_seconds", "must be 300 (5 minutes) to 63,072,000 (two years)"))
        }
        if !Self.idleRange.contains(idleSeconds) {
            faults.append(("idle_seconds", "must be 60 (a minute) to 63,072,000 (two years)"))
        }
        return faults
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case accessSeconds = "access_token_seconds", refreshSeconds = "refresh_token_seconds",
            expiresAfterIdling = "expire_after_idling"
        case idleSeconds = "idle_seconds"
    }

    /// The names of the settings.
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
