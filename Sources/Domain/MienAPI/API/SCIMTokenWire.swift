/// `POST /v1/organizations/{organization}/scim-tokens`.
public struct SCIMTokenRequest: Sendable, Hashable, Codable {
    /// One line that tells what uses the token, such as “Entra ID”.
    public var name: String
    /// Domains of mail for whose addresses the directory may vouch.
    public var domains: [String]?

    public init(name: String, domains: [String]? = nil) {
        (self.name, self.domains) = (name, domains)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case name, domains }
}

/// A token with which an organization's directory manages people.
public struct SCIMTokenAnswer: Sendable, Hashable, Codable {
    public var id: String
    public var name: String
    public var domains: [String]
    /// The administrator who made it.
    public var createdBy: String
    public var createdAt: Int64
    /// When it was last used, to the hour; absent if it never was.
    public var usedAt: Int64?
    /// Present only when the token is created.
    public var token: String?

    public init(
        id: String, name: String, domains: [String], createdBy: String, createdAt: Int64,
        usedAt: Int64?, token: String? = nil
    ) {
        (self.id, self.name, self.domains, self.createdBy) = (id, name, domains, createdBy)
        (self.createdAt, self.usedAt, self.token) = (createdAt, usedAt, token)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, domains, createdBy = "created_by", createdAt = "created_at",
            usedAt = "used_at", token
    }
}
