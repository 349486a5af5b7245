import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienTools

/// `mien admin registration-token …`
struct RegistrationTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "registration-token",
        abstract: "Manage initial access tokens, with which programs register apps (RFC 7591).",
        discussion: """
            The server's setting apps.registration must be on.

            EXAMPLE
              mien admin registration-token create "Build server" --uses 20 --days 30
              mien admin registration-token list
            """,
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Make an initial access token and show it once.",
            discussion: """
                Apps that are registered with it are apps of others: people are asked for permission.

                EXAMPLE
                  mien admin registration-token create "Build server" --uses 20 --days 30
                """)

        @Argument(help: "Your name for the token, 1 to 100 characters.") var name: String
        @Option(
            help: ArgumentHelp(
                "The number of apps that can be registered, 1 to 10,000.", valueName: "n"))
        var uses = 1
        @Option(help: ArgumentHelp("The days until it expires, 1 to 365.", valueName: "n"))
        var days = 7
        @Flag(
            inversion: .prefixedNo,
            help: "The apps need PKCE, the confidential ones, too.")
        var requiresPkce = true
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let made = try await server.admin().makeRegistrationToken(
                RegistrationTokenRequest(
                    name: name, uses: uses, days: days, requiresPKCE: requiresPkce))
            if output.json {
                JSON.print(made)
            } else {
                print(
                    "\((made.token ?? "").printable)\nValid for \(made.uses) apps until \(AdminOutput.time(made.expiresAt)). It is not shown again. Its ID is \(made.id.printable)."
                )
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the initial access tokens and how many apps were registered with them.",
            discussion: """
                EXAMPLE
                  mien admin registration-token list
                """)

        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let tokens = try await server.admin().registrationTokens()
            guard !output.json else { return JSON.print(["registration_tokens": tokens]) }
            guard !tokens.isEmpty else { return print("There are no initial access tokens.") }
            let rows = tokens.map {
                [
                    $0.id, $0.name, "\($0.used) of \($0.uses)", AdminOutput.time($0.expiresAt),
                    $0.revokedAt.map { AdminOutput.time($0) } ?? "",
                ]
            }
            print(Terminal.table(rows, heading: ["id", "name", "apps", "expires", "revoked"]))
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Revoke an initial access token, so that it registers no more apps.",
            discussion: """
                Apps that were registered with it stay. Delete them with mien admin app delete.

                EXAMPLE
                  mien admin registration-token revoke irt_2m8Xw0GJ4n6nq0s9u3v5xA
                """)

        @Argument(help: "The token's ID.") var id: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await server.admin().revokeRegistrationToken(id)
            output.tell(["revoked": id], "Revoked \(id.printable).")
        }
    }
}
