import ArgumentParser
import MienAPI
import MienClient
import MienCore

/// `mien admin licence …`
struct LicenceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "licence", abstract: "Product keys, with which devices get licences.",
        discussion: """
            EXAMPLE
              mien admin licence create mien-face --name "Branch offices" --activations 50
              mien admin licence list
            """,
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Make a product key, and show it once.",
            discussion: """
                Whoever has it can activate a device with it, as many as it is for.

                EXAMPLE
                  mien admin licence create mien-face --name "Branch offices" --activations 50 --days 365
                """)

        @Argument(help: "The product: 1 to 64 of a-z, 0-9, “.” and “-”.") var product: String
        @Option(help: "What you call the key, 1 to 100 characters.") var name: String
        @Option(help: ArgumentHelp("How many devices it is for, 1 to 1,000,000.", valueName: "n"))
        var activations: Int
        @Option(help: ArgumentHelp("How long a licence lives, 1 to 3,650 days.", valueName: "n"))
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
                    "\((made.productKey ?? "").printable)\nFor \(made.activations) devices. It is not shown again; its id is \(made.id.printable)."
                )
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Which product keys are there, and how much are they used?",
            discussion: """
                EXAMPLE
                  mien admin licence list
                """)

        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let keys = try await server.admin().productKeys()
            guard !output.json else { return JSON.print(["product_keys": keys]) }
            guard !keys.isEmpty else { return print("There is no product key.") }
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
            commandName: "revoke", abstract: "Let a product key activate no device any more.",
            discussion: """
                Licences that were given go on until they end.

                EXAMPLE
                  mien admin licence revoke pk_2m8Xw0GJ4n6nq0s9u3v5xA
                """)

        @Argument(help: "The product key's id.") var id: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await server.admin().revokeProductKey(id)
            if output.json {
                JSON.print(["revoked": id])
            } else {
                print("Revoked \(id.printable).")
            }
        }
    }
}
