import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienTools

/// `mien admin administrator …`
struct AdministratorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "administrator", abstract: "Manage administrators.",
        discussion: """
            EXAMPLE
              mien admin administrator create "Grace, second reviewer" --role reviewer
            """,
        subcommands: [
            List.self, Create.self, Invite.self, Invitations.self, Revoke.self, SetupCode.self,
            SetupCodes.self,
            ChangeRole.self, Remove.self,
        ])

    static let roles = """
        ROLES
          owner     may do everything
          operator  runs apps, journeys, and users; sees and decides no unclear identity
          reviewer  decides unclear identities
          auditor   reads everything except what people sent to verify their identity
        """

    @Sendable static func role(_ text: String) throws -> AdminRole {
        guard let role = AdminRole(rawValue: text) else {
            throw ValidationError("A role is \(AdminRole.choices).")
        }
        return role
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List administrators.",
            discussion: """
                EXAMPLE
                  mien admin administrator list --json
                """)

        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let found = try await server.admin().administrators()
            guard !output.json else { return JSON.print(["administrators": found]) }
            let rows = found.map {
                [
                    $0.id, $0.name.printable, $0.role.rawValue, AdminOutput.time($0.createdAt),
                    $0.isCaller ? "this one" : "",
                ]
            }
            print(
                Terminal.table(rows, heading: ["administrator", "name", "role", "created", ""]))
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Create an administrator with a credential.",
            discussion: """
                The credential is shown only once. It opens what the role permits.

                \(AdministratorCommand.roles)

                EXAMPLE
                  mien admin administrator create "Grace, second reviewer" --role reviewer
                """)

        @Argument(help: "A name that tells administrators apart.") var name: String
        @Option(help: "The role: \(AdminRole.choices).", transform: AdministratorCommand.role)
        var role: AdminRole
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let created = try await server.admin().createAdministrator(name, as: role)
            guard !output.json else { return JSON.print(created) }
            AdminOutput.sheet([
                ("id", created.id), ("name", created.name.printable),
                ("role", created.role.rawValue), ("credential", created.credential),
            ])
            Terminal.warn(
                "The credential is shown only once. Save it where only this administrator can read it."
            )
        }
    }

    struct ChangeRole: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "role", abstract: "Change an administrator's role.",
            discussion: """
                The role applies from the next request on. Owners cannot change their own role, so one
                always remains.

                \(AdministratorCommand.roles)

                EXAMPLE
                  mien admin administrator role adm_0c9JkYH2dTq4m8wXzR1aBg auditor
                """)

        @Argument(help: "The administrator's ID.") var id: String
        @Argument(help: "The role: \(AdminRole.choices).", transform: AdministratorCommand.role)
        var role: AdminRole
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let changed = try await server.admin().changeAdministrator(id, to: role)
            guard !output.json else { return JSON.print(changed) }
            print("\(changed.name.inSentence) is now \(changed.role.rawValue).")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove an administrator, whose credential then stops working.",
            discussion: """
                Owners cannot remove themselves, so one always remains.

                EXAMPLE
                  mien admin administrator remove adm_0c9JkYH2dTq4m8wXzR1aBg
                """)

        @Argument(help: "The administrator's ID.") var id: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await server.admin().removeAdministrator(id)
            output.tell(["removed": id], "Removed \(id.printable).")
        }
    }
}
