import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienTools

/// `mien admin test …`
struct TestConnectionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Test whether the server reaches other services.",
        discussion: """
            Each test makes one real call and shows its status, never the answer. The audit log records \
            it. Exit code 1 if the service does not answer as it should.

            EXAMPLE
              mien admin test sources
              mien admin test webhook shop
            """,
        subcommands: [Sources.self, Source.self, Webhook.self, Logout.self, URLTest.self])

    struct Sources: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sources", abstract: "List the sources that identities are verified with.",
            discussion: """
                EXAMPLE
                  mien admin test sources
                """)

        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let found = try await server.admin().identitySources()
            guard !output.json else { return JSON.print(["sources": found]) }
            guard !found.isEmpty else {
                return print("There are no sources. Name them in identity.sources.")
            }
            print(
                Terminal.table(
                    found.map { [$0.name.printable, $0.isSimulated ? "simulated" : ""] },
                    heading: ["source", ""]))
        }
    }

    struct Source: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "source", abstract: "Ask a source about a person who does not exist.",
            discussion: """
                EXAMPLE
                  mien admin test source bureau
                """)

        @Argument(help: "The source's name.") var name: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try TestConnectionCommand.show(
                await server.admin().testIdentitySource(name), output)
        }
    }

    struct Webhook: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "webhook",
            abstract: "Send a test to an app's webhook for results of identity verification.",
            discussion: """
                EXAMPLE
                  mien admin test webhook shop
                """)

        @Argument(help: "The app's ID.", transform: Word.app) var app: AppID
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try TestConnectionCommand.show(await server.admin().testWebhook(of: app), output)
        }
    }

    struct Logout: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "logout",
            abstract:
                "Send a logout that ends nothing to the address where an app hears of logouts.",
            discussion: """
                EXAMPLE
                  mien admin test logout shop
                """)

        @Argument(help: "The app's ID.", transform: Word.app) var app: AppID
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try TestConnectionCommand.show(await server.admin().testLogout(of: app), output)
        }
    }

    struct URLTest: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "url", abstract: "Send a test to the URL of a step call_webhook.",
            discussion: """
                EXAMPLE
                  mien admin test url https://hooks.example.org/risk
                """)

        @Argument(help: "The URL.") var url: String
        @Option(help: ArgumentHelp("How long to wait, 1 to 30.", valueName: "seconds"))
        var timeout: Int?
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try TestConnectionCommand.show(
                await server.admin().testWebhook(
                    WebhookTestRequest(url: url, timeoutSeconds: timeout)), output)
        }
    }

    private static func show(_ answer: ConnectionTestAnswer, _ output: OutputOptions) throws {
        if output.json {
            JSON.print(answer)
        } else {
            let status = answer.status.map { " with status \($0)" } ?? ""
            print(
                answer.isWorking
                    ? "Working: it answered\(status)."
                    : "Not working\(answer.status == nil ? "" : ": it answered\(status)"): \(answer.reason ?? "unknown")."
            )
        }
        if !answer.isWorking { throw Outcome.noMatch }
    }
}
