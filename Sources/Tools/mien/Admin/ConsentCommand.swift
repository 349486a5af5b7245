import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienTools

/// `mien admin consent …`
struct ConsentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consent", abstract: "Show and withdraw users' consents.",
        discussion: """
            EXAMPLE
              mien admin consent list ada
            """,
        subcommands: [List.self, Withdraw.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List a user's consents.",
            discussion: """
                EXAMPLE
                  mien admin consent list ada
                """)

        @Argument(help: "The user: ID, user name, email address, or external ID.") var user: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(),
                found = try await admin.consents(of: admin.user(meant: user).id)
            guard !output.json else { return JSON.print(["consents": found]) }
            if found.isEmpty { print("\(user.inSentence) has not given any consent.") }
            let rows = found.map {
                [
                    $0.appID, $0.purpose.rawValue, $0.textVersion ?? $0.scope ?? "",
                    AdminOutput.time($0.givenAt),
                    $0.withdrawnAt.map { AdminOutput.time($0) } ?? "",
                ]
            }
            if !rows.isEmpty {
                print(
                    Terminal.table(
                        rows, heading: ["app", "purpose", "text or scope", "given", "withdrawn"]))
            }
        }
    }

    struct Withdraw: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "withdraw",
            abstract:
                "Withdraw a user's consents and permission in an app, and erase the face registered for it.",
            discussion: """
                EXAMPLE
                  mien admin consent withdraw ada shop
                """)

        @Argument(help: "The user: ID, user name, email address, or external ID.") var user: String
        @Argument(help: "The app's ID.", transform: Word.app) var app: AppID
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(), user = try await admin.user(meant: user).id
            try await admin.withdrawConsent(of: user, to: app)
            output.tell(["withdrawn": app.text], "Withdrew \(user)'s consent to \(app).")
        }
    }
}
