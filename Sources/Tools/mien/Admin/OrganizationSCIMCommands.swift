import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienTools

extension OrganizationCommand {
    /// `mien admin organization scim-token …`
    struct SCIMToken: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "scim-token",
            abstract: "Manage the tokens with which an organization's directory manages people.",
            discussion: """
                EXAMPLE
                  mien admin organization scim-token create crm-17 "Entra ID" --domain northwind.example
                  mien admin organization scim-token list crm-17
                """,
            subcommands: [List.self, Create.self, Revoke.self])

        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "list", abstract: "List the tokens.",
                discussion: """
                    EXAMPLE
                      mien admin organization scim-token list crm-17
                    """)

            @Argument(help: "The organization.") var organization: String
            @OptionGroup var server: ServerOptions
            @OptionGroup var output: OutputOptions

            func run() async throws {
                let admin = try server.admin()
                let (id, _) = try await admin.organization(meant: organization)
                let tokens = try await admin.scimTokens(of: id)
                guard !output.json else { return JSON.print(["scim_tokens": tokens]) }
                guard !tokens.isEmpty else { return print("There are no tokens.") }
                print(
                    Terminal.table(
                        tokens.map {
                            [
                                $0.id, $0.name.printable, $0.domains.joined(separator: ", "),
                                AdminOutput.time($0.createdAt),
                                $0.usedAt.map { AdminOutput.time($0) } ?? "never",
                            ]
                        }, heading: ["id", "name", "domains", "created", "used"]))
            }
        }

        struct Create: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "create", abstract: "Create a token. It is shown once.",
                discussion: """
                    A domain is one for whose mail addresses you let the directory vouch: such addresses are \
                    verified, and name the account that has them.

                    EXAMPLE
                      mien admin organization scim-token create crm-17 "Entra ID" --domain northwind.example
                    """)

            @Argument(help: "The organization.") var organization: String
            @Argument(help: "What uses the token.") var name: String
            @Option(
                help: ArgumentHelp(
                    "A domain for whose addresses the directory may vouch. Repeatable.",
                    valueName: "domain"))
            var domain: [String] = []
            @OptionGroup var server: ServerOptions
            @OptionGroup var output: OutputOptions

            func run() async throws {
                let admin = try server.admin()
                let (id, _) = try await admin.organization(meant: organization)
                let made = try await admin.createSCIMToken(named: name, domains: domain, for: id)
                guard !output.json else { return JSON.print(made) }
                AdminOutput.sheet([
                    ("id", made.id), ("name", made.name.printable),
                    ("domains", made.domains.joined(separator: ", ")), ("token", made.token),
                ])
            }
        }

        struct Revoke: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "revoke", abstract: "Revoke a token at once.",
                discussion: """
                    EXAMPLE
                      mien admin organization scim-token revoke crm-17 sct_1b9Xh0
                    """)

            @Argument(help: "The organization.") var organization: String
            @Argument(help: "The token's ID.") var token: String
            @OptionGroup var server: ServerOptions
            @OptionGroup var output: OutputOptions

            func run() async throws {
                guard let token = SCIMTokenID(token) else {
                    throw ValidationError("the token's ID begins with sct_")
                }
                let admin = try server.admin()
                let (id, _) = try await admin.organization(meant: organization)
                try await admin.revokeSCIMToken(token, of: id)
                output.tell(["revoked": token.text], "Revoked \(token.text).")
            }
        }
    }
}
