/// `POST /v1/administrators`.
public struct AdministratorRequest: Sendable, Hashable, Codable {
    /// One line of at most ``maxName`` characters. Tells administrators apart; need not be unique.
    public var name: String

    public static let maxName = 100

    public init(name: String) { self.name = name }

    public enum CodingKeys: String, CodingKey, CaseIterable { case name }
}

/// An administrator, who may use the whole admin API.
public struct AdministratorAnswer: Sendable, Hashable, Codable {
    public var id: String
    public var name: String
    public var createdAt: Int64
    /// Whether this administrator sent the request.
    public var isCaller: Bool
    /// Present only when the administrator is created.
    public var credential: String?

    public init(
        id: String, name: String, createdAt: Int64, isCaller: Bool, credential: String? = nil
    ) {
        (self.id, self.name, self.createdAt) = (id, name, createdAt)
        (self.isCaller, self.credential) = (isCaller, credential)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, createdAt = "created_at", isCaller = "is_caller", credential
    }
}
