internal import MienAPI
internal import MienCore
internal import MienStore

/// The answers of the routes.
enum OrganizationAnswers {
    static func organization(_ record: OrganizationRecord, apps: [AppID]) -> OrganizationAnswer {
        OrganizationAnswer(
            id: record.id.text, externalID: record.externalID, name: record.name.text,
            state: .known(record.state), metadata: record.metadata, apps: apps.map(\.text),
            createdAt: record.createdAt.milliseconds)
    }

    /// - Parameter isForOperator: Whether administrators of the server read it, whose own ID for the
    ///   user the external ID is.
    static func member(_ found: MemberService.Member, isForOperator: Bool = true)
        -> OrganizationMemberAnswer
    {
        let profile = found.account.profile.use { $0 }
        return OrganizationMemberAnswer(
            id: found.account.id.text, externalID: isForOperator ? profile.externalID : nil,
            username: profile.username,
            email: profile.email, state: .known(found.account.state),
            roles: found.member.roles.words, joinedAt: found.member.createdAt.milliseconds)
    }

    static func invitation(_ invitation: OrganizationInvitation) -> OrganizationInvitationAnswer {
        OrganizationInvitationAnswer(
            id: invitation.id.text, identifier: invitation.name.use { $0 },
            roles: invitation.roles.words, invitedBy: invitation.author,
            createdAt: invitation.createdAt.milliseconds,
            expiresAt: invitation.expiresAt.milliseconds)
    }

    static func organization(
        _ record: OrganizationRecord, of member: OrganizationMember
    ) -> UserOrganizationAnswer {
        UserOrganizationAnswer(
            id: record.id.text, name: record.name.text, state: .known(record.state),
            roles: member.roles.words, joinedAt: member.createdAt.milliseconds)
    }
}
