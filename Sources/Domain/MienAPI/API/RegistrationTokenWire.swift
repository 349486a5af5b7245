/// `POST /v1/registration-tokens`
public struct RegistrationTokenRequest: Sendable, Hashable, Codable {
    /// The administrators' name for the token.
    public var name: String
    /// The number of apps that can be registered with it, 1 to 10,000; 1 if left out.
    public var uses: Int?
    /// The days until it expires, 1 to 365; 7 if left out.
    public var days: Int?
    /// Whether the apps need PKCE, the confidential ones, too; `true` if left out.
    public var requiresPKCE: Bool?

    public init(name: String, uses: Int? = nil, days: Int? = nil, requiresPKCE: Bool? = nil) {
        (self.name, self.uses, self.days, self.requiresPKCE) = (name, uses, days, requiresPKCE)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case name, uses, days, requiresPKCE = "requires_pkce"
    }
}

/// An initial access token, with which programs register apps (RFC 7591).
public struct RegistrationTokenAnswer: Sendable, Hashable, Codable {
    public var id: String
    public var name: String
    public var uses: Int
    /// The number of apps that were registered with it.
    public var used: Int
    public var requiresPKCE: Bool
    public var createdAt: Int64
    public var expiresAt: Int64
    public var revokedAt: Int64?
    /// The token itself. Present only when it is made.
    public var token: String?

    public init(
        id: String, name: String, uses: Int, used: Int, requiresPKCE: Bool, createdAt: Int64,
        expiresAt: Int64, revokedAt: Int64? = nil, token: String? = nil
    ) {
        (self.id, self.name, self.uses, self.used) = (id, name, uses, used)
        (self.requiresPKCE, self.token) = (requiresPKCE, token)
        (self.createdAt, self.expiresAt, self.revokedAt) = (createdAt, expiresAt, revokedAt)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, uses, used, requiresPKCE = "requires_pkce", createdAt = "created_at",
            expiresAt = "expires_at", revokedAt = "revoked_at", token
    }
}
