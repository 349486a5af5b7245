import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienIdentity
import MienTools

/// `mien admin faces duplicates …`
struct DuplicatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duplicates", abstract: "Review accounts whose faces look alike.",
        discussion: """
            Apps that look for duplicates report them here: see the setting duplicate_faces. The audit \
            log records every view.

            EXAMPLE
              mien admin faces duplicates list
              mien admin faces duplicates decide dup_0c9JkYH2dTq4m8wXzR1aBg distinct
            """,
        subcommands: [List.self, Show.self, Decide.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the cases that wait for a decision.",
            discussion: """
                EXAMPLE
                  mien admin faces duplicates list --json
                """)

        @Option(help: "Start after the case with this ID.") var after: String?
        @OptionGroup var limit: LimitOptions
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin()
            try await limit.show(
                "cases", after: after, output,
                none: "No case waits for a decision\(after == nil ? "" : " after that one").",
                id: \.id,
                heading: ["case", "app", "user", "other user", "score", "opened", "decided"],
                row: {
                    [
                        $0.id, $0.appID, $0.user, $0.otherUser, String($0.score),
                        AdminOutput.time($0.openedAt),
                        $0.decisions.last.map { "\($0.decision) by \($0.reviewer)" } ?? "",
                    ]
                }, { try await admin.duplicateCases(after: $0) })
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a case with its two accounts.",
            discussion: """
                EXAMPLE
                  mien admin faces duplicates show dup_0c9JkYH2dTq4m8wXzR1aBg
                """)

        @Argument(help: "The case's ID.") var id: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let found = try await server.admin().duplicateCase(id)
            guard !output.json else { return JSON.print(found) }
            let open = found.duplicateCase
            AdminOutput.sheet([
                ("case", open.id), ("app", open.appID), ("opened", AdminOutput.time(open.openedAt)),
                ("closed", open.closedAt.map { AdminOutput.time($0) }),
                (
                    "score",
                    "\(open.score): \(MatchScore(open.score).falseMatchRateInWords) strangers look as much alike"
                ),
                ("needs", open.needsSecondReviewer ? "two people to decide distinct" : nil),
                (
                    "decided",
                    open.decisions.isEmpty
                        ? nil
                        : open.decisions.map { "\($0.decision) by \($0.reviewer)" }.joined(
                            separator: ", ")
                ),
            ])
            for account in found.accounts {
                print("")
                AdminOutput.sheet([
                    ("user", account.user), ("state", account.state.rawValue),
                    ("created", AdminOutput.time(account.createdAt)),
                    ("face registered", AdminOutput.time(account.faceRegisteredAt)),
                    ("identity verified", account.verificationMethod.rawValue),
                ])
            }
        }
    }

    struct Decide: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "decide", abstract: "Decide a case: distinct or duplicate.",
            discussion: """
                distinct: the accounts belong to different people. duplicate: one person has both. The \
                decision is recorded and changes neither account; suspend or delete one with mien admin \
                user. If two people must decide distinct, the second must be another administrator.

                EXAMPLE
                  mien admin faces duplicates decide dup_0c9JkYH2dTq4m8wXzR1aBg duplicate
                """)

        @Argument(help: "The case's ID.") var id: String
        @Argument(
            help: "distinct or duplicate.",
            transform: { text in
                guard let decision = DuplicateDecision(rawValue: text) else {
                    throw ValidationError("the decision must be \(DuplicateDecision.choices)")
                }
                return decision
            }) var decision: DuplicateDecision
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let outcome = try await server.admin().decideDuplicate(id, decision)
            guard !output.json else { return JSON.print(outcome) }
            print(
                outcome.decision.map { "Decided: \($0.rawValue)." }
                    ?? "Recorded. Another administrator must decide distinct, too.")
        }
    }
}
