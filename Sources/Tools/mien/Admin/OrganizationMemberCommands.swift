import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienTools

extension OrganizationCommand {
    /// `mien admin organization members`
    struct Members: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "members", abstract: "List the members of an organization.",
            discussion: """
                EXAMPLE
                  mien admin organization members crm-17 --administrators
                """)

        @Argument(help: "The organization.") var organization: String
        @Flag(help: "Only its administrators.") var administrators = false
        @Option(help: "Start after the member with this ID.", transform: Word.user)
        var after: UserID?
        @OptionGroup var limit: LimitOptions
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(),
                (id, _) = try await admin.organization(meant: organization)
            try await limit.show(
                "members", after: after?.text, output, none: "There are no such members.",
                id: \.id, heading: ["id", "username", "email", "roles", "state", "joined"],
                row: {
                    [
                        $0.id, $0.username ?? "", $0.email ?? "", $0.roles.joined(separator: " "),
                        $0.state.rawValue, AdminOutput.time($0.joinedAt),
                    ]
                },
                {
                    try await admin.members(
                        of: id, areAdmins: administrators, after: $0.flatMap { UserID($0) })
                })
        }
    }

    /// `mien admin organization add`
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Make a user a member, without asking.",
            discussion: """
                To ask first, use “invite”.

                EXAMPLE
                  mien admin organization add crm-17 ada --role admin
                """)

        @Argument(help: "The organization.") var organization: String
        @Argument(help: "The user.") var user: String
        @Option(help: ArgumentHelp("A role. Repeatable.", valueName: "word")) var role: [String] =
            []
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(),
                (id, _) = try await admin.organization(meant: organization)
            OrganizationCommand.showMember(
                try await admin.addMember(user, to: id, roles: role), output)
        }
    }

    /// `mien admin organization roles`
    struct Roles: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "roles", abstract: "Replace the roles of a member.",
            discussion: """
                EXAMPLE
                  mien admin organization roles crm-17 ada --role admin --role billing
                  mien admin organization roles crm-17 ada
                """)

        @Argument(help: "The organization.") var organization: String
        @Argument(help: "The member.") var user: String
        @Option(help: ArgumentHelp("A role. Repeatable.", valueName: "word")) var role: [String] =
            []
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(),
                (id, _) = try await admin.organization(meant: organization),
                (member, _) = try await admin.user(meant: user)
            OrganizationCommand.showMember(
                try await admin.changeRoles(of: member, in: id, to: role), output)
        }
    }

    /// `mien admin organization remove`
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a member. Sign-ins through the organization end; the account stays.",
            discussion: """
                EXAMPLE
                  mien admin organization remove crm-17 ada
                """)

        @Argument(help: "The organization.") var organization: String
        @Argument(help: "The member.") var user: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(),
                (id, _) = try await admin.organization(meant: organization),
                (member, _) = try await admin.user(meant: user)
            try await admin.removeMember(member, from: id)
            output.tell(["removed": member.text], "Removed \(member) from \(id).")
        }
    }

    /// `mien admin organization invite`
    struct Invite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "invite", abstract: "Invite a person by email address or user name.",
            discussion: """
                The person gets a mail, signs in at /organization on the server, and accepts within \
                seven days. Inviting again renews the invitation.

                EXAMPLE
                  mien admin organization invite crm-17 grace@example.org --role admin
                """)

        @Argument(help: "The organization.") var organization: String
        @Argument(help: "An email address or a user name.") var identifier: String
        @Option(help: ArgumentHelp("A role. Repeatable.", valueName: "word")) var role: [String] =
            []
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(),
                (id, _) = try await admin.organization(meant: organization),
                invited = try await admin.invite(identifier, to: id, roles: role)
            guard !output.json else { return JSON.print(invited) }
            AdminOutput.sheet([
                ("id", invited.id), ("invited", invited.identifier.printable),
                ("roles", invited.roles.joined(separator: " ")),
                ("expires", AdminOutput.time(invited.expiresAt)),
            ])
        }
    }

    /// `mien admin organization invitations`
    struct Invitations: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "invitations", abstract: "List invitations that nobody has accepted.",
            discussion: """
                EXAMPLE
                  mien admin organization invitations crm-17
                """)

        @Argument(help: "The organization.") var organization: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(),
                (id, _) = try await admin.organization(meant: organization),
                found = try await admin.invitations(of: id)
            guard !output.json else { return JSON.print(["invitations": found]) }
            let rows = found.map {
                [
                    $0.id, $0.identifier.printable, $0.roles.joined(separator: " "),
                    $0.invitedBy ?? "", AdminOutput.time($0.expiresAt),
                ]
            }
            print(
                Terminal.table(
                    rows, heading: ["invitation", "invited", "roles", "invited by", "expires"]))
        }
    }

    /// `mien admin organization revoke`
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Revoke an invitation.",
            discussion: """
                EXAMPLE
                  mien admin organization revoke crm-17 oin_0c9JkYH2dTq4m8wXzR1aBg
                """)

        @Argument(help: "The organization.") var organization: String
        @Argument(help: "The invitation's ID.") var invitation: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(),
                (id, _) = try await admin.organization(meant: organization)
            try await admin.revokeInvitation(invitation, of: id)
            output.tell(["revoked": invitation], "Revoked \(invitation.printable).")
        }
    }

    /// `mien admin organization allow`
    struct Allow: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "allow",
            abstract: "Let an organization use an app that only listed organizations may use.",
            discussion: """
                EXAMPLE
                  mien admin organization allow crm-17 app_0c9JkYH2dTq4m8wXzR1aBg
                """)

        @Argument(help: "The organization.") var organization: String
        @Argument(help: "The app's ID.", transform: Word.app) var app: AppID
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(),
                (id, _) = try await admin.organization(meant: organization)
            try await admin.allow(app, for: id)
            output.tell(["allowed": app.text], "\(id) may use \(app).")
        }
    }

    /// `mien admin organization forbid`
    struct Forbid: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forbid",
            abstract: "Undo “allow”. Sign-ins through the organization to the app end.",
            discussion: """
                EXAMPLE
                  mien admin organization forbid crm-17 app_0c9JkYH2dTq4m8wXzR1aBg
                """)

        @Argument(help: "The organization.") var organization: String
        @Argument(help: "The app's ID.", transform: Word.app) var app: AppID
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(),
                (id, _) = try await admin.organization(meant: organization)
            try await admin.forbid(app, for: id)
            output.tell(["forbidden": app.text], "\(id) may no longer use \(app).")
        }
    }

    fileprivate static func showMember(_ member: OrganizationMemberAnswer, _ output: OutputOptions)
    {
        guard !output.json else { return JSON.print(member) }
        AdminOutput.sheet([
            ("id", member.id), ("username", member.username), ("email", member.email),
            ("external id", member.externalID), ("state", member.state.rawValue),
            ("roles", member.roles.isEmpty ? nil : member.roles.joined(separator: " ")),
            ("joined", AdminOutput.time(member.joinedAt)),
        ])
    }
}
