import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienTools

/// `mien admin audit …`
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show, verify, export, and prune the audit log.",
        discussion: """
            EXAMPLE
              mien admin audit list --user ada
              mien admin audit verify
              mien admin audit export audit-2026.jsonl --until 2027-01-01
            """,
        subcommands: [List.self, Events.self, Verify.self, Export.self, Prune.self])

    struct Events: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "events", abstract: "List the names of the events in the log.",
            discussion: """
                EXAMPLE
                  mien admin audit events
                """)

        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let events = try await server.admin().auditEvents()
            guard !output.json else { return JSON.print(["events": events]) }
            for event in events { print(event) }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show entries, oldest first.",
            discussion: """
                EXAMPLE
                  mien admin audit list --user ada --limit 20
                  mien admin audit list --event password.refused --newest
                  mien admin audit list --after 4711
                """)

        @Option(help: "Show only entries about this user. Name deleted users by ID.") var user:
            String?
        @Option(help: "Show only this event, by its whole name.") var event: String?
        @Option(help: ArgumentHelp("Show only what this administrator did.", valueName: "id"))
        var administrator: String?
        @Flag(help: "Show the newest entries first.") var newest = false
        @Option(help: ArgumentHelp("Start after the entry with this number.", valueName: "number"))
        var after = 0
        @OptionGroup var limit: LimitOptions
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard after >= 0 else {
                throw ValidationError("--after must be the number of an entry, not \(after)")
            }
            if let administrator, AdminID(administrator) == nil {
                throw ValidationError(
                    "--administrator must be an ID, as mien admin administrator list shows it, not \(administrator)"
                )
            }
        }

        func run() async throws {
            let admin = try server.admin(), about = try await subject(admin)
            let actor = administrator.flatMap { AdminID($0) }
            try await limit.show(
                "entries", after: String(after), output,
                none: "There are no entries\(after == 0 ? "" : " after number \(after)").",
                id: \.entryNumber,
                heading: ["number", "time", "event", "by", "user", "app", "detail"],
                rightAligned: [0],
                row: {
                    [
                        "\($0.number)", AdminOutput.time($0.at), $0.event, $0.actor,
                        $0.userID ?? "", $0.appID ?? "", AdminOutput.members($0.detail) ?? "",
                    ]
                },
                {
                    try await admin.audit(
                        after: $0.flatMap { Int($0) } ?? 0, user: about, event: event,
                        administrator: actor, isNewestFirst: newest)
                })
        }

        /// Accepts an ID without a lookup, because entries about deleted users stay in the log.
        private func subject(_ admin: MienAdmin) async throws -> UserID? {
            guard let user else { return nil }
            if user.hasPrefix("\(UserKind.prefix)_"), let id = UserID(user) { return id }
            return try await admin.user(meant: user).id
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Check that the log is intact. Exits with 1 if it was changed.",
            discussion: """
                Keep the last hash elsewhere: only a comparison with it reveals that the log was truncated \
                or completely rewritten. With --file, exported files are checked without a server; each of \
                several files must continue the previous one.

                EXAMPLE
                  mien admin audit verify
                  mien admin audit verify --file audit-2026.jsonl --file audit-2027.jsonl
                """)

        @Option(
            help: ArgumentHelp(
                "An exported file to check instead of the server's log.", valueName: "file"),
            completion: .file()) var file: [String] = []
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            guard file.isEmpty else { return try verifyFiles() }
            let verdict = try await server.admin().verifyAudit()
            if output.json {
                JSON.print(verdict)
            } else if verdict.isWhole {
                let pruned =
                    verdict.start.map { " (of which the first \($0.number.grouped) were pruned)" }
                    ?? ""
                print(
                    "The log is intact: \((verdict.entries ?? 0).grouped) entries\(pruned), last hash \((verdict.lastHash ?? "none").printable)."
                )
            } else {
                print(
                    "The log was changed: entry \(verdict.brokenAt.map { "\($0)" } ?? "unknown") was modified."
                )
            }
            guard verdict.isWhole else { throw Outcome.noMatch }
        }

        private func verifyFiles() throws {
            var previousEnd: AuditChain?, files: [VerifiedFile] = []
            for path in file {
                let (start, end) = try AuditExportFile.verified(path)
                if let previousEnd, previousEnd != start {
                    throw Failure(
                        .badInput, "audit.gap",
                        "\(path) starts after entry \(start.number), but the previous file ends with entry \(previousEnd.number)"
                    )
                }
                previousEnd = end
                files.append(
                    VerifiedFile(file: path, start: AuditPosition(start), end: AuditPosition(end)))
                if !output.json {
                    print(
                        "\(path) is intact: entries \(start.number + 1) to \(end.number), last hash \(Base64URL.encode(end.hash))."
                    )
                }
            }
            if output.json { JSON.print(files) }
        }

        private struct VerifiedFile: Encodable {
            let file: String
            let start, end: AuditPosition
        }
    }
}

extension AuditEntryAnswer {
    fileprivate var entryNumber: String { String(number) }
}
