import ArgumentParser
import Foundation
import MienCore
import MienIdentity
import MienTools

/// `mien admin verification lint FILE…`
struct VerificationLintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check the rules for identities, or the mapping of a service, without a server.",
        discussion: """
            Tries all results that checks can have. Exits with 0 if there are no findings, 1 if there \
            are findings (errors or warnings), and 2 if a file is neither rules nor a mapping.

            EXAMPLE
              mien admin verification lint rules.json bureau.json
            """)

    @Argument(
        help: ArgumentHelp(
            "Files of identity.rules or identity.http.mapping.", valueName: "file"),
        completion: .file())
    var files: [String]
    @OptionGroup var output: OutputOptions

    func run() throws {
        let reports = try files.map { Report(file: $0, findings: try Self.findings(in: $0)) }
        if output.json {
            JSON.print(["files": reports])
        } else {
            for report in reports {
                let file = report.file.printable
                if report.findings.isEmpty { print("\(file): no findings.") }
                for finding in report.findings { print("\(file): \(finding.words)") }
            }
        }
        guard reports.allSatisfy(\.findings.isEmpty) else { throw Outcome.noMatch }
    }

    private static func findings(in file: String) throws -> [Finding] {
        func refused(_ reason: String) -> Failure {
            Failure(.badInput, "verification.rules", "\(file.printable): \(reason)")
        }
        guard let handle = FileHandle(forReadingAtPath: file),
            let data = try? handle.read(upToCount: RecommendationRules.maxBytes + 1)
        else { throw refused("cannot be read") }
        let bytes = [UInt8](data)
        // Only a mapping says what to send.
        if let value = try? JSONText.parse(bytes), value["send"] != nil {
            do throws(HTTPSourceMappingError) { _ = try HTTPSourceMapping(json: bytes) } catch {
                throw refused("\(error)")
            }
            return []
        }
        let rules: RecommendationRules
        do throws(RecommendationRulesError) { rules = try RecommendationRules(json: bytes) } catch {
            throw refused("\(error)")
        }
        return rules.findings().map(Finding.init)
    }

    private struct Report: Encodable {
        let file: String
        let findings: [Finding]
    }

    private struct Finding: Encodable {
        let severity, code, message: String
        /// Counted from 0; `nil` for `otherwise`.
        let rule: Int?
        /// The finding as text for people.
        let words: String

        private enum CodingKeys: CodingKey { case severity, code, message, rule }

        init(_ finding: RulesFinding) {
            (severity, code) = (finding.code.severity.rawValue, finding.code.rawValue)
            (message, rule, words) = (finding.message, finding.rule, "\(finding)")
        }
    }
}
