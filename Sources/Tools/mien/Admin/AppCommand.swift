import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienServer
import MienTools

/// `mien admin app …`
struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "Manage apps that sign people in with this server.",
        discussion: """
            EXAMPLE
              mien admin app create "Web shop" --id shop --confidential
              mien admin app set shop --face-threshold 48 --lock face=5,30,50
            """,
        subcommands: [
            List.self, Create.self, Show.self, Change.self, Settings.self, Secret.self,
            Refusals.self, Delete.self,
        ])

    struct Settings: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "settings",
            abstract: "List the settings that apps can have, and this server's defaults.",
            discussion: """
                EXAMPLE
                  mien admin app settings
                """)

        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let guide = try await server.admin().appSettings()
            guard !output.json else { return JSON.print(guide) }
            let properties = guide.schema["properties"]?.objectValue ?? [:]
            let rows = properties.sorted { $0.key < $1.key }.flatMap { name, schema -> [[String]] in
                // Settings within a group, such as tokens.idle_seconds.
                let inner = schema["properties"]?.objectValue ?? [:]
                let members: [(key: String, schema: JSONValue)] =
                    inner.isEmpty
                    ? [("", schema)]
                    : inner.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
                return members.map { key, schema in
                    let standard = guide.defaults[name].flatMap { key.isEmpty ? $0 : $0[key] }
                    return [
                        key.isEmpty ? name : "\(name).\(key)",
                        standard.map { $0.stringValue ?? JSONText.write($0) } ?? "",
                        schema["description"]?.stringValue?.prefix { $0 != "." }.description ?? "",
                    ]
                }
            }
            print(Terminal.table(rows, heading: ["setting", "default", "meaning"]))
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the apps.",
            discussion: """
                EXAMPLE
                  mien admin app list
                """)

        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let apps = try await server.admin().apps()
            guard !output.json else { return JSON.print(["apps": apps]) }
            if apps.isEmpty { print("There are no apps. Create one: mien admin app create NAME") }
            let rows = apps.map {
                [$0.id, $0.name, $0.type.rawValue, AdminOutput.time($0.createdAt)]
            }
            if !rows.isEmpty {
                print(Terminal.table(rows, heading: ["id", "name", "type", "created"]))
            }
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Create an app.",
            discussion: """
                A confidential app runs on its own server and has a secret, which is shown only once. \
                An app that uses the MienClient SDK (--client mien) requires tokens that are bound to a \
                key (DPoP).

                --for sets what a product needs: it is confidential, and --url is where people open it. \
                docs/connect has a page for each.

                EXAMPLE
                  mien admin app create "Web shop" --id shop --confidential --first-party
                  mien admin app create "Shop on phones" --id phones --first-party --client mien
                  mien admin app create Databases --for pgadmin --url https://pgadmin.example.org
                """)

        @Argument(help: "The name shown to people.") var name: String
        @Option(help: "The app's ID (default: a generated one).", transform: Word.app) var id:
            AppID?
        @Flag(help: "The app can keep a secret.") var confidential = false
        @Flag(help: "You run this app: its users manage their authenticators through it.")
        var firstParty = false
        @Option(
            help: "The software the app signs in with: mien (the SDK) or other.",
            transform: { try Word.choice($0, for: "--client") }) var client = AppClient.other
        @Option(
            name: .customLong("for"),
            help: ArgumentHelp(
                "The product to connect: \(KnownProduct.all.map(\.id).joined(separator: ", ")).",
                valueName: "product"), transform: product) var product: KnownProduct?
        @Option(help: "The address of the product.") var url: String?
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard let product else {
                if url != nil { throw ValidationError("--url belongs to --for PRODUCT") }
                return
            }
            guard (url == nil) == (product.exampleURL == nil) else {
                throw ValidationError(
                    product.exampleURL.map {
                        "--for \(product.id) also needs --url, the address where people open \(product.name), such as \($0)"
                    } ?? "--for \(product.id) has no --url: no browser returns to it")
            }
            if client != .other {
                throw ValidationError("--for and --client \(client.rawValue) cannot be combined")
            }
        }

        func run() async throws {
            let request = AppRequest(
                id: id?.text, name: name,
                type: confidential || product != nil ? .confidential : .public,
                isFirstParty: firstParty, settings: product?.settings(at: url), client: client)
            try AppCommand.show(await server.admin().createApp(request), output)
        }

        @Sendable private static func product(_ text: String) throws -> KnownProduct {
            guard let product = KnownProduct.all.first(where: { $0.id == text }) else {
                throw ValidationError(
                    "--for must be one of \(KnownProduct.all.map(\.id).joined(separator: ", ")), not “\(text)”"
                )
            }
            return product
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show an app and its settings.",
            discussion: """
                EXAMPLE
                  mien admin app show shop
                """)

        @Argument(help: "The app's ID.", transform: Word.app) var id: AppID
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws { try AppCommand.show(await server.admin().app(id), output) }
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change an app's name and settings.",
            discussion: """
                Settings that you do not name stay unchanged.

                EXAMPLE
                  mien admin app set shop --redirect-uri https://shop.example.org/back --token-seconds 120
                  mien admin app set shop --first-party
                  mien admin app set shop --journey face-login --journey sign-up --lock face=5,30,50
                """)

        @Argument(help: "The app's ID.", transform: Word.app) var id: AppID
        @Option(help: "The name shown to people.") var name: String?
        @Flag(
            inversion: .prefixedNo,
            help: "You run this app: its users manage their authenticators through it.")
        var firstParty: Bool?
        @OptionGroup var settings: AppSettingOptions
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard name != nil || firstParty != nil || !settings.isEmpty else {
                throw ValidationError("name a setting to change: --name, --face-threshold, …")
            }
        }

        func run() async throws {
            let admin = try server.admin(), app = try await admin.app(id)
            let request = AppRequest(
                name: name ?? app.name, isFirstParty: firstParty,
                settings: settings.isEmpty ? nil : settings.applied(to: app.settings),
                revision: app.revision)
            try AppCommand.show(await admin.updateApp(id, request), output)
        }
    }

    struct Refusals: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "refusals", abstract: "List why requests of an app were refused.",
            discussion: """
                Requests that nobody authenticated count for the app that they name.

                EXAMPLE
                  mien admin app refusals shop
                """)

        @Argument(help: "The app's ID.", transform: Word.app) var id: AppID
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let refusals = try await server.admin().refusals(of: id)
            guard !output.json else { return JSON.print(["refusals": refusals]) }
            guard !refusals.isEmpty else { return print("No request of this app was refused.") }
            print(
                Terminal.table(
                    refusals.map {
                        [
                            AdminOutput.time($0.lastAt), String($0.count), $0.route, $0.error,
                            $0.description,
                        ]
                    }, heading: ["last", "times", "route", "error", "reason"]))
        }
    }

    struct Secret: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "secret",
            abstract: "Give a confidential app a new secret and invalidate the old one.",
            discussion: """
                The secret is shown only once.

                EXAMPLE
                  mien admin app secret shop
                """)

        @Argument(help: "The app's ID.", transform: Word.app) var id: AppID
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try AppCommand.show(await server.admin().renewSecret(id), output)
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete an app and all faces and devices registered for it.",
            discussion: """
                EXAMPLE
                  mien admin app delete shop --yes
                """)

        @Argument(help: "The app's ID.", transform: Word.app) var id: AppID
        @OptionGroup var consent: DeletionOptions
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            try consent.check("it deletes all faces and devices registered for \(id)")
        }

        func run() async throws {
            try await server.admin().deleteApp(id)
            output.tell(["deleted": id.text], "Deleted \(id).")
        }
    }

    private static func show(_ app: AppAnswer, _ output: OutputOptions) {
        guard !output.json else { return JSON.print(app) }
        AdminOutput.sheet(
            [
                ("id", app.id), ("name", app.name), ("type", app.type.rawValue),
                ("first party", app.isFirstParty ? "yes" : "no"),
                ("registered with", app.registrationToken),
                ("created", AdminOutput.time(app.createdAt)),
            ]
                + AppSettingOptions.rows(app.settings) + [
                    (
                        "tokens seen by",
                        app.introspectedBy.flatMap {
                            $0.isEmpty ? nil : $0.joined(separator: ", ")
                        }
                    )
                ] + [("secret", app.clientSecret)])
        if app.clientSecret != nil {
            Terminal.warn("The secret is shown only once. Save it where only the app can read it.")
        }
    }
}

/// Requires `--yes` for an operation that cannot be undone.
struct DeletionOptions: ParsableArguments {
    @Flag(help: "Confirm the deletion, which cannot be undone.") var yes = false

    func check(_ consequence: String) throws {
        guard yes else {
            throw ValidationError("this cannot be undone, and \(consequence). Add --yes to confirm")
        }
    }
}
