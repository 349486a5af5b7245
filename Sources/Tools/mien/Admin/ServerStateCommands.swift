import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienTools

/// `mien admin settings`
struct SettingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Show the server's settings in effect.",
        discussion: """
            Settings come from the server's file or environment; secrets are left out.

            EXAMPLE
              mien admin settings --changed
            """)

    @Flag(help: "Only those that differ from the defaults.") var changed = false
    @OptionGroup var server: ServerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let found = try await server.admin().settings().filter { !changed || $0.isSet }
        guard !output.json else { return JSON.print(["settings": found]) }
        guard !found.isEmpty else { return print("All settings have their defaults.") }
        let rows = found.map {
            [
                $0.key,
                $0.isSecret ? ($0.isSet ? "(set)" : "(not set)") : ($0.value ?? "").printable,
                $0.isSet ? "changed" : "",
            ]
        }
        print(Terminal.table(rows, heading: ["setting", "value", ""]))
    }
}

/// `mien admin metrics`
struct MetricsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics", abstract: "Show the server's metrics.",
        discussion: """
            They count since the start of the server. Monitoring systems read /metrics instead.

            EXAMPLE
              mien admin metrics mien_authentications_total
            """)

    @Argument(help: "Only metrics whose name contains this.") var name: String?
    @OptionGroup var server: ServerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let found = try await server.admin().metrics().filter { metric in
            name.map { metric.name.contains($0) } ?? true
        }
        guard !output.json else { return JSON.print(["metrics": found]) }
        guard !found.isEmpty else { return print("No metric has such a name.") }
        let rows = found.flatMap { metric in
            metric.series.map { series in
                [
                    metric.name,
                    series.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                        .joined(separator: " "),
                    JSONText.number(series.value), series.count.map { "\($0) observations" } ?? "",
                ]
            }
        }
        print(Terminal.table(rows, heading: ["metric", "labels", "value", ""]))
    }
}

/// `mien admin pages …`
struct PagesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pages", abstract: "Show and set the look of pages where an app does not say.",
        discussion: """
            Apps with a look of their own keep it: mien admin app set APP --setting pages.brand=….

            EXAMPLE
              mien admin pages show
              mien admin pages set --brand "#1f5fbf" --language es
            """,
        subcommands: [Show.self, Change.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the look.",
            discussion: """
                EXAMPLE
                  mien admin pages show
                """)

        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            PagesCommand.show(try await server.admin().pageSettings(), output)
        }
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change the look.",
            discussion: """
                Settings that you do not name stay unchanged; “default” removes one. Logo and texts are \
                set in the portal, or over the API.

                EXAMPLE
                  mien admin pages set --brand "#1f5fbf" --brand-dark "#7fb2ff"
                  mien admin pages set --language default
                """)

        @Option(help: "The color of buttons and links, #rrggbb.") var brand: String?
        @Option(help: "The color on dark pages.") var brandDark: String?
        @Option(help: "The language of people whose browser asks for none of the server's.")
        var language: String?
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard brand != nil || brandDark != nil || language != nil else {
                throw ValidationError("name a setting to change: --brand, --brand-dark, --language")
            }
        }

        func run() async throws {
            let admin = try server.admin()
            var members = try await admin.pageSettings().objectValue ?? [:]
            for (name, value) in [
                ("brand", brand), ("brand_dark", brandDark), ("language", language),
            ] {
                guard let value else { continue }
                members[name] = value == "default" ? nil : .string(value)
            }
            PagesCommand.show(try await admin.setPageSettings(.object(members)), output)
        }
    }

    private static func show(_ settings: JSONValue, _ output: OutputOptions) {
        guard !output.json else { return JSON.print(settings) }
        func text(_ name: String) -> String { settings[name]?.stringValue ?? "the standard" }
        AdminOutput.sheet([
            ("brand", text("brand")), ("brand on dark pages", text("brand_dark")),
            ("language", text("language")), ("logo", settings["logo"] == nil ? "none" : "set"),
            (
                "texts",
                (settings["texts"]?.objectValue ?? [:]).sorted { $0.key < $1.key }.map {
                    "\($0.value.objectValue?.count ?? 0) in \($0.key)"
                }.joined(separator: ", ")
            ),
        ])
    }
}
