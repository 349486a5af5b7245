import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienTools

/// `mien admin license …`
struct LicenseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "license", abstract: "Manage product keys, with which devices get licenses.",
        discussion: """
            EXAMPLE
              mien admin license create mien-face --name "Branch offices" --activations 50
              mien admin license list
            """,
        subcommands: [Create.self, List.self, Revoke.self], aliases: ["licence"])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Create a product key and show it once.",
            discussion: """
                Anyone who has the key can activate devices with it, up to its number of activations.

                EXAMPLE
                  mien admin license create mien-face --name "Branch offices" --activations 50 --days 365
                """)

        @Argument(help: "The product: 1 to 64 of a-z, 0-9, “.” and “-”.") var product: String
        @Option(help: "Your name for the key, 1 to 100 characters.") var name: String
        @Option(
            help: ArgumentHelp(
                "The number of devices it can activate, 1 to 1,000,000.", valueName: "n"))
        var activations: Int
        @Option(help: ArgumentHelp("How long a license is valid, 1 to 3,650 days.", valueName: "n"))
        var days = 365
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let made = try await server.admin().makeProductKey(
                ProductKeyRequest(
                    product: product, name: name, activations: activations, days: days))
            if output.json {
                JSON.print(made)
            } else {
                print(
                    "\((made.productKey ?? "").printable)\nValid for \(made.activations) devices. It is not shown again. Its ID is \(made.id.printable)."
                )
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the product keys and how many devices they have activated.",
            discussion: """
                EXAMPLE
                  mien admin license list
                """)

        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let keys = try await server.admin().productKeys()
            guard !output.json else { return JSON.print(["product_keys": keys]) }
            guard !keys.isEmpty else { return print("There are no product keys.") }
            let rows = keys.map {
                [
                    $0.id, $0.product, $0.name, "\($0.used) of \($0.activations)", "\($0.days)",
                    $0.revokedAt.map { AdminOutput.time($0) } ?? "",
                ]
            }
            print(
                Terminal.table(
                    rows, heading: ["id", "product", "name", "devices", "days", "revoked"],
                    rightAligned: [4]))
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Revoke a product key, so that it activates no more devices.",
            discussion: """
                Licenses that were already issued stay valid until they expire.

                EXAMPLE
                  mien admin license revoke pk_2m8Xw0GJ4n6nq0s9u3v5xA
                """)

        @Argument(help: "The product key's ID.") var id: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await server.admin().revokeProductKey(id)
            output.tell(["revoked": id], "Revoked \(id.printable).")
        }
    }
}
