import ArgumentParser
import MienAPI
import MienClient
import MienCore

/// `mien admin consent …`
struct ConsentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consent", abstract: "What users have consented to.",
        discussion: """
            EXAMPLE
              mien admin consent list ada
            """,
        subcommands: [List.self, Withdraw.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "What has a user consented to, and when?",
            discussion: """
                EXAMPLE
                  mien admin consent list ada
                """)

        @Argument(help: "The user: id, user name, e-mail address or external id.") var user: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(),
                found = try await admin.consents(of: admin.user(meant: user).id)
            guard !output.json else { return JSON.print(["consents": found]) }
            if found.isEmpty { print("\(user.printable) has consented to nothing.") }
            let rows = found.map {
                [
                    $0.appID, $0.purpose, $0.textVersion, AdminOutput.time($0.givenAt),
                    $0.withdrawnAt.map { AdminOutput.time($0) } ?? "",
                ]
            }
            if !rows.isEmpty {
                print(
                    Terminal.table(rows, heading: ["app", "purpose", "text", "given", "withdrawn"]))
            }
        }
    }

    struct Withdraw: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "withdraw",
            abstract: "Withdraw a user's consent to an app; the face registered for it is erased.",
            discussion: """
                EXAMPLE
                  mien admin consent withdraw ada shop
                """)

        @Argument(help: "The user: id, user name, e-mail address or external id.") var user: String
        @Argument(help: "The app's id.", transform: Word.app) var app: AppID
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(), user = try await admin.user(meant: user).id
            try await admin.withdrawConsent(of: user, to: app)
            if output.json {
                JSON.print(["withdrawn": app.text])
            } else {
                print("Withdrew the consent of \(user) to \(app).")
            }
        }
    }
}
