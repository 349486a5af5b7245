public import MienCore

/// `POST /v1/administrators`.
public struct AdministratorRequest: Sendable, Hashable, Codable {
    /// One line of at most ``maxName`` characters. Tells administrators apart; need not be unique.
    public var name: String
    public var role: AdminRole

    public static let maxName = 100

    public init(name: String, role: AdminRole) { (self.name, self.role) = (name, role) }

    public enum CodingKeys: String, CodingKey, CaseIterable { case name, role }
}

/// `PUT /v1/administrators/{administrator}/role`.
public struct AdministratorRoleRequest: Sendable, Hashable, Codable {
    public var role: AdminRole

    public init(role: AdminRole) { self.role = role }

    public enum CodingKeys: String, CodingKey, CaseIterable { case role }
}

/// An administrator, who may use the part of the admin API that the role permits.
public struct AdministratorAnswer: Sendable, Hashable, Codable {
    public var id: String
    public var name: String
    public var role: WireValue<AdminRole>
    public var createdAt: Int64
    /// Whether this administrator sent the request.
    public var isCaller: Bool
    /// Present only when the administrator is created.
    public var credential: String?
    /// How the administrator can sign in to the portal, `passkey` and `password`: in lists.
    public var methods: [String]?
    /// The permissions of the role, such as `readUsers`: only in the answer about the caller.
    public var permissions: [String]?

    public init(
        id: String, name: String, role: WireValue<AdminRole>, createdAt: Int64, isCaller: Bool,
        credential: String? = nil, methods: [String]? = nil, permissions: [String]? = nil
    ) {
        (self.id, self.name, self.role, self.createdAt) = (id, name, role, createdAt)
        (self.isCaller, self.credential) = (isCaller, credential)
        (self.methods, self.permissions) = (methods, permissions)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, role, createdAt = "created_at", isCaller = "is_caller", credential, methods
        case permissions
    }
}
