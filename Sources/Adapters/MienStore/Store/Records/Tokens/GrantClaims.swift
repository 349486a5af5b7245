public import MienCore

/// Claims that the tokens of a sign-in tell besides those of its scope.
public struct GrantClaims: Sendable, Hashable, Codable {
    /// Claims that the app asked for by name: at the UserInfo endpoint, and in ID tokens (OpenID
    /// Connect Core §5.5).
    public var userInfo, idToken: [String]
    /// The claims of the journey that signed the user in.
    public var journey: [String: JSONValue]

    public init(
        userInfo: [String] = [], idToken: [String] = [], journey: [String: JSONValue] = [:]
    ) {
        (self.userInfo, self.idToken, self.journey) = (userInfo, idToken, journey)
    }
}
