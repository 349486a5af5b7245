public import MienCore

/// `POST /v1/organizations`, `PATCH /v1/organizations/{organization}`. Missing fields stay
/// unchanged.
public struct OrganizationRequest: Codable, Sendable, Hashable {
    /// The greatest number of characters of an external ID.
    public static let maxExternalID = 200
    /// The word with which a sign-in asks for no organization. No external ID equals it.
    public static let none = "none"

    /// One line of 1 to 100 characters. Required for a new organization.
    public var name: String?
    /// The operator's own name for it, unique; empty to remove it.
    public var externalID: String?
    public var state: OrganizationState?
    /// Anything that the operator stores with it, as for users: at most 16 KB of JSON.
    public var metadata: [String: JSONValue]?

    public init(
        name: String? = nil, externalID: String? = nil, state: OrganizationState? = nil,
        metadata: [String: JSONValue]? = nil
    ) {
        (self.name, self.externalID) = (name, externalID)
        (self.state, self.metadata) = (state, metadata)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case name, externalID = "external_id", state, metadata
    }
}

public struct OrganizationAnswer: Codable, Sendable, Hashable {
    public var id: String
    public var externalID: String?
    public var name: String
    public var state: WireValue<OrganizationState>
    public var metadata: [String: JSONValue]
    /// The apps that the organization may use beside those that every organization may.
    public var apps: [String]
    public var createdAt: Int64

    public init(
        id: String, externalID: String?, name: String, state: WireValue<OrganizationState>,
        metadata: [String: JSONValue], apps: [String], createdAt: Int64
    ) {
        (self.id, self.externalID, self.name, self.state) = (id, externalID, name, state)
        (self.metadata, self.apps, self.createdAt) = (metadata, apps, createdAt)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, externalID = "external_id", name, state, metadata, apps,
            createdAt = "created_at"
    }
}

/// The numbers of records that deleting an organization removes or ends. The members' accounts stay.
public struct OrganizationDeletionAnswer: Codable, Sendable, Hashable {
    public var members: Int
    public var invitations: Int
    public var apps: Int
    /// Sign-ins through the organization, which end.
    public var signIns: Int

    public init(members: Int, invitations: Int, apps: Int, signIns: Int) {
        (self.members, self.invitations) = (members, invitations)
        (self.apps, self.signIns) = (apps, signIns)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case members, invitations, apps, signIns = "sign_ins"
    }
}

/// `POST /v1/organizations/{organization}/members`
public struct OrganizationMemberRequest: Codable, Sendable, Hashable {
    /// The user's ID, user name, verified address, or external ID.
    public var user: String
    /// Words of `a-z`, `0-9`, `_`, `-`, and `.`; `admin` makes an organization administrator.
    public var roles: [String]?

    public init(user: String, roles: [String]? = nil) { (self.user, self.roles) = (user, roles) }

    public enum CodingKeys: String, CodingKey, CaseIterable { case user, roles }
}

/// `PUT /v1/organizations/{organization}/members/{user}/roles`
public struct OrganizationRolesRequest: Codable, Sendable, Hashable {
    public var roles: [String]

    public init(roles: [String]) { self.roles = roles }

    public enum CodingKeys: String, CodingKey, CaseIterable { case roles }
}

public struct OrganizationMemberAnswer: Codable, Sendable, Hashable {
    /// The user's ID.
    public var id: String
    public var externalID: String?
    public var username: String?
    public var email: String?
    public var state: WireValue<AccountState>
    public var roles: [String]
    /// When the user became a member.
    public var joinedAt: Int64

    public init(
        id: String, externalID: String?, username: String?, email: String?,
        state: WireValue<AccountState>, roles: [String], joinedAt: Int64
    ) {
        (self.id, self.externalID, self.username, self.email) = (id, externalID, username, email)
        (self.state, self.roles, self.joinedAt) = (state, roles, joinedAt)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, externalID = "external_id", username, email, state, roles,
            joinedAt = "joined_at"
    }
}

/// `POST /v1/organizations/{organization}/invitations`
public struct OrganizationInvitationRequest: Codable, Sendable, Hashable {
    /// An email address or a user name.
    public var identifier: String
    public var roles: [String]?

    public init(identifier: String, roles: [String]? = nil) {
        (self.identifier, self.roles) = (identifier, roles)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case identifier, roles }
}

/// An invitation that nobody has accepted.
public struct OrganizationInvitationAnswer: Codable, Sendable, Hashable {
    public var id: String
    /// The address or the user name, as it was invited.
    public var identifier: String
    public var roles: [String]
    /// The ID of the administrator who invited: of the server, or of the organization.
    public var invitedBy: String?
    public var createdAt: Int64
    public var expiresAt: Int64

    public init(
        id: String, identifier: String, roles: [String], invitedBy: String?, createdAt: Int64,
        expiresAt: Int64
    ) {
        (self.id, self.identifier, self.roles) = (id, identifier, roles)
        (self.invitedBy, self.createdAt, self.expiresAt) = (invitedBy, createdAt, expiresAt)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, identifier, roles, invitedBy = "invited_by", createdAt = "created_at",
            expiresAt = "expires_at"
    }
}

/// An organization of a user.
public struct UserOrganizationAnswer: Codable, Sendable, Hashable {
    public var id: String
    public var name: String
    public var state: WireValue<OrganizationState>
    /// The user's roles in it.
    public var roles: [String]
    public var joinedAt: Int64

    public init(
        id: String, name: String, state: WireValue<OrganizationState>, roles: [String],
        joinedAt: Int64
    ) {
        (self.id, self.name, self.state) = (id, name, state)
        (self.roles, self.joinedAt) = (roles, joinedAt)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, state, roles, joinedAt = "joined_at"
    }
}

// MARK: The pages at /organization

/// The signed-in user of the pages at `/organization`.
public struct OrganizationVisitorAnswer: Codable, Sendable, Hashable {
    /// The user's ID.
    public var id: String
    /// The name that the user signs in with.
    public var name: String
    public var organizations: [UserOrganizationAnswer]
    /// Invitations that the user may accept.
    public var invitations: [ReceivedInvitationAnswer]

    public init(
        id: String, name: String, organizations: [UserOrganizationAnswer],
        invitations: [ReceivedInvitationAnswer]
    ) {
        (self.id, self.name) = (id, name)
        (self.organizations, self.invitations) = (organizations, invitations)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, organizations, invitations
    }
}

/// An invitation of the signed-in user.
public struct ReceivedInvitationAnswer: Codable, Sendable, Hashable {
    public var id: String
    /// The organization's name.
    public var organization: String
    public var roles: [String]
    public var expiresAt: Int64

    public init(id: String, organization: String, roles: [String], expiresAt: Int64) {
        (self.id, self.organization, self.roles, self.expiresAt) = (
            id, organization, roles, expiresAt
        )
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, organization, roles, expiresAt = "expires_at"
    }
}

/// A member, as an organization administrator sees one.
public struct MemberDetailAnswer: Codable, Sendable, Hashable {
    public var member: OrganizationMemberAnswer
    /// The sign-in methods that work in apps of the organization.
    public var authenticators: [MemberAuthenticatorAnswer]
    /// The sign-ins through the organization that have not ended, the newest first.
    public var signIns: [UserSignInAnswer]

    public init(
        member: OrganizationMemberAnswer, authenticators: [MemberAuthenticatorAnswer],
        signIns: [UserSignInAnswer]
    ) { (self.member, self.authenticators, self.signIns) = (member, authenticators, signIns) }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case member, authenticators, signIns = "sign_ins"
    }
}

/// A sign-in method of a member.
public struct MemberAuthenticatorAnswer: Codable, Sendable, Hashable {
    public var id: String
    public var type: WireValue<AuthenticatorType>
    /// On devices that the member has not signed in on before.
    public var lock: WireValue<LockState>
    public var lockedUntil: Int64?
    /// Whether an administrator of the server locked it, who alone can unlock it.
    public var isHeld: Bool

    public init(
        id: String, type: WireValue<AuthenticatorType>, lock: WireValue<LockState>,
        lockedUntil: Int64?, isHeld: Bool
    ) {
        (self.id, self.type, self.lock) = (id, type, lock)
        (self.lockedUntil, self.isHeld) = (lockedUntil, isHeld)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, type, lock, lockedUntil = "locked_until", isHeld = "held"
    }
}
