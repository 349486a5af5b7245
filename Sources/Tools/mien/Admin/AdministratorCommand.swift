import ArgumentParser
import MienAPI
import MienClient
import MienCommandSupport
import MienCore

/// `mien admin administrator …`
struct AdministratorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "administrator", abstract: "Manage administrators.",
        discussion: """
            EXAMPLE
              mien admin administrator create "Grace, second reviewer"
            """,
        subcommands: [List.self, Create.self, Remove.self])

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
                    $0.id, $0.name.printable, AdminOutput.time($0.createdAt),
                    $0.isCaller ? "this one" : "",
                ]
            }
            print(Terminal.table(rows, heading: ["administrator", "name", "created", ""]))
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Create an administrator with a credential.",
            discussion: """
                The credential is shown only once. It opens the whole admin API.

                EXAMPLE
                  mien admin administrator create "Grace, second reviewer"
                """)

        @Argument(help: "A name that tells administrators apart.") var name: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let created = try await server.admin().createAdministrator(name)
            guard !output.json else { return JSON.print(created) }
            AdminOutput.sheet([
                ("id", created.id), ("name", created.name.printable),
                ("credential", created.credential),
            ])
            Terminal.warn(
                "The credential is shown only once. Save it where only this administrator can read it."
            )
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove an administrator, whose credential then stops working.",
            discussion: """
                Administrators cannot remove themselves, so one always remains.

                EXAMPLE
                  mien admin administrator remove adm_0c9JkYH2dTq4m8wXzR1aBg
                """)

        @Argument(help: "The administrator's ID.") var id: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await server.admin().removeAdministrator(id)
            if output.json {
                JSON.print(["removed": id])
            } else {
                print("Removed \(id.printable).")
            }
        }
    }
}
