import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienTools

extension AdministratorCommand {
    /// `mien admin administrator invite`
    struct Invite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "invite", abstract: "Invite an administrator to the portal.",
            discussion: """
                Prints a link, once. The person who opens it first within 72 hours chooses a passkey, or a \
                password and an authenticator app, and signs in with NAME.

                \(AdministratorCommand.roles)

                EXAMPLE
                  mien admin administrator invite "Grace" --role reviewer
                """)

        @Argument(help: "The name that the person signs in with.") var name: String
        @Option(help: "The role: \(AdminRole.choices).", transform: AdministratorCommand.role)
        var role: AdminRole
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let invited = try await server.admin().inviteAdministrator(name, as: role)
            guard !output.json else { return JSON.print(invited) }
            AdminOutput.sheet([
                ("id", invited.id), ("name", invited.name.printable),
                ("role", invited.role.rawValue), ("expires", AdminOutput.time(invited.expiresAt)),
                ("link", invited.link),
            ])
            Terminal.warn(
                "The link is shown only once and works once. Send it so that only this person can read it."
            )
        }
    }

    /// `mien admin administrator invitations`
    struct Invitations: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "invitations", abstract: "List invitations that nobody has accepted.",
            discussion: """
                EXAMPLE
                  mien admin administrator invitations --json
                """)

        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let found = try await server.admin().administratorInvitations()
            guard !output.json else { return JSON.print(["invitations": found]) }
            let rows = found.map {
                [
                    $0.id, $0.name.printable, $0.role.rawValue, $0.invitedBy ?? "",
                    AdminOutput.time($0.expiresAt),
                ]
            }
            print(
                Terminal.table(
                    rows, heading: ["invitation", "name", "role", "invited by", "expires"]))
        }
    }

    /// `mien admin administrator revoke`
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Revoke an invitation or a setup code.",
            discussion: """
                EXAMPLE
                  mien admin administrator revoke inv_0c9JkYH2dTq4m8wXzR1aBg
                  mien admin administrator revoke adm_0c9JkYH2dTq4m8wXzR1aBg
                """)

        @Argument(
            help: "The invitation's ID, or that of the administrator who has the setup code.")
        var id: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin()
            if id.hasPrefix("adm_") {
                try await admin.revokeSetupCode(ofAdministrator: id)
            } else {
                try await admin.revokeAdministratorInvitation(id)
            }
            output.tell(["revoked": id], "Revoked \(id.printable).")
        }
    }

    /// `mien admin administrator setup-code`
    struct SetupCode: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "setup-code",
            abstract: "Make a link with which an administrator sets up the sign-in to the portal.",
            discussion: """
                For an administrator who has lost every sign-in method, or for yourself while you have \
                none. The link works once within 24 hours. Using it replaces all sign-in methods of the \
                administrator, ends the sessions, and ends the credential unless you keep it.

                EXAMPLE
                  mien admin administrator setup-code
                  mien admin administrator setup-code adm_0c9JkYH2dTq4m8wXzR1aBg
                """)

        @Argument(help: "The administrator's ID; by default, the one whose credential this is.")
        var id: String?
        @Flag(help: "Let the administrator's credential go on working. Your own does.")
        var keepCredential = false
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin()
            let subject: String
            if let id { subject = id } else { subject = try await admin.administrator().id }
            let made = try await admin.makeSetupCode(
                forAdministrator: subject, keepsCredential: keepCredential)
            guard !output.json else { return JSON.print(made) }
            AdminOutput.sheet([
                ("link", made.link), ("expires", AdminOutput.time(made.expiresAt)),
            ])
            Terminal.warn("The link is shown only once and works once.")
        }
    }

    /// `mien admin administrator setup-codes`
    struct SetupCodes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "setup-codes", abstract: "List setup codes that nobody has used.",
            discussion: """
                EXAMPLE
                  mien admin administrator setup-codes --json
                """)

        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let found = try await server.admin().setupCodes()
            guard !output.json else { return JSON.print(["setup_codes": found]) }
            let rows = found.map {
                [
                    $0.administrator, $0.name.printable, $0.madeBy ?? "the server",
                    AdminOutput.time($0.expiresAt), $0.endsCredential ? "ends" : "stays",
                ]
            }
            print(
                Terminal.table(
                    rows, heading: ["administrator", "name", "made by", "expires", "credential"]))
        }
    }
}
