import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienIdentity
import MienTools

/// `mien admin verification documents`
struct VerificationDocumentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "documents",
        abstract: "Show which documents the server reads, and what from each side.",
        discussion: """
            EXAMPLE
              mien admin verification documents
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let found = try await server.admin().readableDocuments()
        guard !output.json else { return JSON.print(found) }
        guard !found.documents.isEmpty else {
            return print("The server reads no documents. Name some in identity.documents.")
        }
        for (index, one) in found.documents.enumerated() {
            if index > 0 { print("") }
            func words(_ parts: [WireValue<DocumentCoverage.Part>]?) -> String? {
                parts?.map(\.rawValue).joined(separator: ", ")
            }
            AdminOutput.sheet([
                ("document", one.documentType.rawValue), ("front", words(one.front)),
                ("back", words(one.back)), ("address", one.address ? "yes" : "no"),
                ("countries", one.countries.joined(separator: ", ")),
            ])
        }
    }
}

extension VerificationCommand {
    /// Prints what an attempt compared: a row for each field, a column for each source, then the reasons.
    static func show(_ comparison: ReviewComparison) {
        let fields = Set(comparison.sources.flatMap(\.fields.keys)).sorted()
        if !fields.isEmpty {
            print("")
            let rows = fields.map { field in
                [field]
                    + comparison.sources.map { source -> String in
                        guard let text = source.fields[field] else { return "" }
                        let isUnsure = source.unsure?.contains(field) ?? false
                        return text.printable + (isUnsure ? " (unsure)" : "")
                    }
            }
            print(Terminal.table(rows, heading: ["field"] + comparison.sources.map(\.name)))
        }
        if !comparison.reasons.isEmpty { print("") }
        for reason in comparison.reasons {
            var more = reason.sources.joined(separator: ", ")
            if let score = reason.score, let minimum = reason.minimum {
                more += "\(more.isEmpty ? "" : "; ")\(score), at least \(minimum) needed"
            }
            let text = "\(reason.check): \(reason.detail): \(reason.result)"
            print(more.isEmpty ? text : "\(text) (\(more))")
        }
    }
}
