import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienTools

/// `mien admin mail …`
struct MailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail", abstract: "Test the server's mail relay.",
        discussion: """
            EXAMPLE
              mien admin mail test ada@example.org
            """,
        subcommands: [Test.self])

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Send a test to an address, and show the conversation with the relay.",
            discussion: """
                Lines begin with > where the server speaks, and with < where the relay does. Logins are \
                hidden. Exit code 1 if the relay does not accept the test.

                EXAMPLE
                  mien admin mail test ada@example.org
                """)

        @Argument(help: "The address to send the test to.") var address: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await server.admin().testMail(to: address)
            if output.json {
                JSON.print(answer)
            } else {
                for line in answer.dialog { print(line.printable) }
                print(
                    answer.isWorking
                        ? "Working: the relay accepted the test."
                        : "Not working: \((answer.reason ?? "unknown").printable).")
            }
            if !answer.isWorking { throw Outcome.noMatch }
        }
    }
}
