import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienIdentity
import MienTools

/// `mien admin verification …`
struct VerificationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verification", abstract: "Review and manage users' identity verifications.",
        discussion: """
            The audit log records every view.

            EXAMPLE
              mien admin verification list
              mien admin verification decide cas_0c9JkYH2dTq4m8wXzR1aBg accept
            """,
        subcommands: [
            List.self, Show.self, VerificationDocumentsCommand.self, Decide.self, Reset.self,
            Require.self, Evidence.self,
            Keys.self, VerificationPurgeCommand.self, VerificationLintCommand.self,
        ])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the cases that wait for a decision.",
            discussion: """
                EXAMPLE
                  mien admin verification list --json
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
                heading: ["case", "user", "app", "opened", "decided"],
                row: {
                    [
                        $0.id, $0.user, $0.appID, AdminOutput.time($0.openedAt),
                        $0.decisions.last.map { "\($0.decision) by \($0.reviewer)" } ?? "",
                    ]
                }, { try await admin.reviewCases(after: $0) })
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show a case with its personal data, or a user's verification.",
            discussion: """
                EXAMPLE
                  mien admin verification show cas_0c9JkYH2dTq4m8wXzR1aBg
                  mien admin verification show ada
                """)

        @Argument(
            help: "A case's ID, or the user: ID, user name, email address, or external ID.")
        var subject: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin()
            if subject.hasPrefix("cas_") {
                let found = try await admin.reviewCase(subject)
                guard !output.json else { return JSON.print(found) }
                AdminOutput.sheet(
                    [
                        ("case", found.reviewCase.id), ("user", found.reviewCase.user),
                        ("app", found.reviewCase.appID),
                        ("opened", AdminOutput.time(found.reviewCase.openedAt)),
                        ("closed", found.reviewCase.closedAt.map { AdminOutput.time($0) }),
                        (
                            "needs",
                            found.reviewCase.needsSecondReviewer ? "two people to accept" : nil
                        ),
                    ] + VerificationCommand.rows(of: found.attempt))
                print("")
                guard let content = found.content else {
                    return print("The personal data was erased.")
                }
                AdminOutput.sheet(
                    content.sorted { $0.key < $1.key }.map { ($0.key, $0.value.printable) })
                if let comparison = found.comparison { VerificationCommand.show(comparison) }
                if !found.images.isEmpty {
                    print("Pictures: \(found.images.joined(separator: ", "))")
                }
                return
            }
            let found = try await admin.verification(of: admin.user(meant: subject).id)
            guard !output.json else { return JSON.print(found) }
            AdminOutput.sheet([
                ("achieved", found.verificationMethod.rawValue),
                ("verified", found.verifiedAt.map { AdminOutput.time($0) }),
                ("required of the user", found.requiredMethod.rawValue),
                ("blocked", found.block?.rawValue), ("simulated", found.simulated ? "yes" : nil),
            ])
            for attempt in found.attempts {
                print("")
                AdminOutput.sheet(VerificationCommand.rows(of: attempt))
            }
        }
    }

    static func rows(of attempt: IdentityAttemptAnswer) -> [(String, String?)] {
        [
            ("attempt", attempt.id), ("kind", attempt.kind.rawValue),
            ("begun", AdminOutput.time(attempt.begunAt)),
            ("concluded", attempt.concludedAt.map { AdminOutput.time($0) }),
            (
                "checks",
                attempt.checks.map { checks in
                    checks.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                        .joined(separator: ", ")
                }
            ),
            ("recommendation", attempt.recommendation?.rawValue),
            ("rules", attempt.rulesVersion), ("sources", attempt.sources?.joined(separator: ", ")),
            ("simulated", attempt.simulated == true ? "yes" : nil),
            ("data", attempt.isErased ? "erased" : nil),
        ]
    }

    struct Decide: AsyncParsableCommand {
        /// The decisions by their words on the command line.
        enum Word: String, CaseIterable, ExpressibleByArgument {
            case accept, reject
            case askAgain = "ask-again"

            var decision: ReviewDecision {
                switch self {
                case .accept: .accept
                case .reject: .reject
                case .askAgain: .askAgain
                }
            }
        }

        static let configuration = CommandConfiguration(
            commandName: "decide", abstract: "Decide a case: accept, reject, or ask-again.",
            discussion: """
                ask-again ends this attempt and grants the user another one. If two people must accept, \
                the second must be another administrator.

                EXAMPLE
                  mien admin verification decide cas_0c9JkYH2dTq4m8wXzR1aBg accept
                """)

        @Argument(help: "The case's ID.") var reviewCase: String
        @Argument(help: "accept, reject, or ask-again.") var decision: Word
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let outcome = try await server.admin().decide(reviewCase, decision.decision)
            guard !output.json else { return JSON.print(outcome) }
            print(
                outcome.decision == nil
                    ? "Accepted once. Another administrator must accept, too."
                    : "Decided: \(decision.rawValue).")
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset", abstract: "Start a user's verification over.",
            discussion: """
                The level achieved is lost, and all attempts are available again.

                EXAMPLE
                  mien admin verification reset ada
                """)

        @Argument(help: "The user: ID, user name, email address, or external ID.") var user: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(), user = try await admin.user(meant: user).id
            try await admin.resetVerification(of: user)
            output.tell(["reset": user.text], "Reset the verification of \(user).")
        }
    }

    struct Evidence: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "evidence",
            abstract: "Print the signed evidence of an attempt or a session.",
            discussion: """
                mien evidence verify checks it offline.

                EXAMPLE
                  mien admin verification evidence ada idv_0c9JkYH2dTq4m8wXzR1aBg > ada.jws
                  mien admin verification evidence idv_7dQm2sK9bXw1Lr0vYc3eTg > session.jws
                """)

        @Argument(
            help: "The user: ID, user name, email address, or external ID. Or a session's ID.")
        var subject: String
        @Argument(help: "The attempt's ID, of a user.") var attempt: String?
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin()
            let evidence =
                if let attempt {
                    try await admin.evidence(
                        of: attempt, of: admin.user(meant: subject).id)
                } else {
                    try await admin.evidence(ofSession: subject)
                }
            if output.json { JSON.print(["evidence": evidence]) } else { print(evidence) }
        }
    }

    struct Keys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "keys", abstract: "Print the keys that verify evidence, as a JWK set.",
            discussion: """
                EXAMPLE
                  mien admin verification keys > evidence-keys.json
                """)

        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws { print(JSONText.write(try await server.admin().evidenceKeys())) }
    }

    struct Require: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "require", abstract: "Require a level of one user, above the app's.",
            discussion: """
                The level is NONE, KNOWLEDGE_OF_PII, or GOVERNMENT_ID. A level below the app's has no \
                effect.

                EXAMPLE
                  mien admin verification require ada GOVERNMENT_ID
                """)

        @Argument(help: "The user: ID, user name, email address, or external ID.") var user: String
        @Argument(
            help: "NONE, KNOWLEDGE_OF_PII, or GOVERNMENT_ID.",
            transform: { text in
                guard let level = VerificationMethod(rawValue: text) else {
                    throw ValidationError("the level must be \(VerificationMethod.choices)")
                }
                return level
            }) var level: VerificationMethod
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(), user = try await admin.user(meant: user).id
            try await admin.requireVerification(level, of: user)
            output.tell(
                ["user": user.text, "required": level.rawValue],
                "\(user) must reach \(level.rawValue).")
        }
    }
}
