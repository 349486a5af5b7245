import ArgumentParser
import Foundation
import MienAPI
import MienClient
import MienCore
import MienTools

extension AuditCommand {
    /// `mien admin audit export`
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Write entries to a file that can be verified without the server.",
            discussion: """
                The file contains JSON lines: a header, one line per entry, and a footer. It is written \
                completely or not at all. To continue where another file ends, pass the number that its \
                export printed. The file is as confidential as the log.

                EXAMPLE
                  mien admin audit export audit-2026.jsonl --until 2027-01-01
                  mien admin audit export audit-2027.jsonl --after 481516
                """)

        @Argument(help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file())
        var file: String
        @Option(
            help: ArgumentHelp(
                "Start after the entry with this number (default: start with the first entry).",
                valueName: "number")) var after: Int?
        @Option(
            help: ArgumentHelp(
                "End before this date or time, in UTC: 2026-12-31 or 2026-12-31T18:00:00Z.",
                valueName: "date"),
            transform: AuditExportFile.moment)
        var until: Instant?
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            if let after, after < 0 {
                throw ValidationError("--after must be the number of an entry, not \(after)")
            }
        }

        func run() async throws {
            try OutputFile.check(file: file)
            let exported = try await AuditExportFile.write(
                file, after: after, until: until, from: server.admin())
            let count = exported.end.number - exported.start.number
            if output.json {
                JSON.print(
                    Output(
                        file: file, entries: count, start: AuditPosition(exported.start),
                        end: AuditPosition(exported.end)))
            } else {
                print(
                    "\(file): \(Int(count).grouped) entries. The last entry is number \(exported.end.number), with hash \(Base64URL.encode(exported.end.hash))."
                )
            }
        }

        private struct Output: Encodable {
            let file: String
            let entries: Int64
            let start, end: AuditPosition
        }
    }

    /// `mien admin audit prune`
    struct Prune: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "prune",
            abstract: "Remove the entries of an exported file from the server.",
            discussion: """
                Verifies the file, and then lets the server compare the hash of the last entry. Keep the \
                file: it becomes the only copy of these entries.

                EXAMPLE
                  mien admin audit prune audit-2026.jsonl
                """)

        @Argument(
            help: ArgumentHelp("A file written by mien admin audit export.", valueName: "file"),
            completion: .file()) var file: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let (start, end) = try AuditExportFile.verified(file)
            guard end.number > start.number else {
                throw Failure(
                    .badInput, "audit.empty", "\(file) has no entries; there is nothing to remove")
            }
            let admin = try server.admin(), first = try await admin.auditSegment().start
            guard Int(start.number) <= first.number else {
                throw Failure(
                    .badInput, "audit.gap",
                    "\(file) starts after entry \(start.number), but the server still has entries from number \(first.number + 1). Export and prune those first"
                )
            }
            let answer = try await admin.pruneAudit(through: AuditPosition(end))
            if output.json {
                JSON.print(answer)
            } else {
                print(
                    "Removed \(answer.removed.grouped) entries. The log now starts after number \(answer.start.number)."
                )
            }
        }
    }
}

extension AuditPosition {
    init(_ position: AuditChain) {
        self.init(number: Int(position.number), hash: Base64URL.encode(position.hash))
    }

    /// - Returns: `nil` for a malformed hash.
    var position: AuditChain? {
        Base64URL.decode(hash).map { AuditChain(number: Int64(number), hash: $0) }
    }
}
