package import MienAPI
package import MienCore
package import MienStore

/// An organization through which a user signs in to an app.
package struct OrganizationAccess: Sendable, Hashable {
    package let id: OrganizationID
    package let name: String
    package let roles: MemberRoles

    /// The claims of tokens.
    package var claims: [String: JSONValue] {
        [
            "org_id": .string(id.text), "org_name": .string(name),
            "org_roles": .array(roles.words.map { .string($0) }),
        ]
    }
}

/// The organization that a sign-in asks for.
package enum OrganizationWish: Sendable, Hashable {
    /// Nothing: the user's only organization is chosen.
    case open
    /// The user signs in without one.
    case without
    /// An organization's ID or external ID.
    case named(String)
    /// The organization that was chosen. An external ID that looks like its ID names another one.
    case chosen(OrganizationID)

    /// - Parameter parameter: The parameter `organization` of a request: an ID, an external ID, or
    ///   the word `none`.
    package init(_ parameter: String?) {
        self =
            parameter.map { $0 == OrganizationRequest.none ? .without : .named($0) } ?? .open
    }

    /// - Parameter text: A stored ID, empty for a sign-in without an organization.
    package init(stored text: String?) {
        self =
            text.map { text in
                text.isEmpty ? .without : OrganizationID(text).map { .chosen($0) } ?? .named(text)
            } ?? .open
    }
}

/// The organization of a sign-in, or why there is none.
package enum OrganizationChoice: Sendable, Hashable {
    case chosen(OrganizationAccess)
    /// The user signs in without one.
    case none
    /// The user has several: by name.
    case several([OrganizationAccess])
    /// The user may not sign in to the app in this way.
    case refused(Refusal)

    package enum Refusal: String, Sendable, Hashable, Codable {
        /// The user belongs to no organization that may use the app, which requires one.
        case noOrganization = "no_organization"
        /// The user is not a member of the organization that the app asked for, or it may not use
        /// the app.
        case notMember = "not_a_member"
    }
}

extension Tables {
    /// Chooses the organization of a sign-in.
    package func chooseOrganization(
        of user: UserID, in app: AppRecord, _ wish: OrganizationWish
    ) throws -> OrganizationChoice {
        let settings = app.settings.organizations
        guard settings.use != .off else {
            switch wish {
            case .named, .chosen: return .refused(.notMember)
            case .open, .without: return .none
            }
        }
        switch wish {
        case .named(let text):
            guard let record = try organizations.find(named: text),
                let access = try access(of: user, in: app, through: record.id)
            else { return .refused(.notMember) }
            return .chosen(access)
        case .chosen(let id):
            return try access(of: user, in: app, through: id).map { .chosen($0) }
                ?? .refused(.notMember)
        case .without: return settings.use == .allow ? .none : .refused(.noOrganization)
        case .open:
            let all = try accesses(of: user, in: app)
            if all.count > 1 { return .several(all) }
            if let only = all.first { return .chosen(only) }
            return settings.use == .allow ? .none : .refused(.noOrganization)
        }
    }

    /// The organization as the user has it today; `nil` if the user may no longer sign in through
    /// it to the app.
    package func access(
        of user: UserID, in app: AppRecord, through id: OrganizationID
    ) throws -> OrganizationAccess? {
        let settings = app.settings.organizations
        guard settings.use != .off,
            let member = try organizationMembers.find(user, in: id),
            let record = try organizations.find(id), record.state == .active,
            try settings.access == .all || organizations.allows(app.id, for: id)
        else { return nil }
        return OrganizationAccess(id: id, name: record.name.text, roles: member.roles)
    }

    private func accesses(of user: UserID, in app: AppRecord) throws -> [OrganizationAccess] {
        let isListed = app.settings.organizations.access == .listed
        return try organizationMembers.all(of: user).filter { found in
            try found.organization.state == .active
                && (!isListed || organizations.allows(app.id, for: found.organization.id))
        }.map {
            OrganizationAccess(
                id: $0.organization.id, name: $0.organization.name.text, roles: $0.member.roles)
        }
    }
}
