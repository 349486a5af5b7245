import ArgumentParser
import MienJourney
import MienTools

/// `mien journey lint FILE…`
struct LintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract:
            "Check that journeys work on every path, and that recorded tests end as recorded.",
        discussion: """
            Exits with 0 if there are no findings, 1 if there are findings (errors or warnings), and 2 \
            if a file is neither a journey nor a recorded test of one.

            EXAMPLE
              mien journey lint face-login.json face-login.test.json
            """)

    @Argument(
        help: ArgumentHelp("Journey definitions and recorded tests.", valueName: "file")) var files:
        [String]
    @OptionGroup var output: OutputOptions

    func run() throws {
        let reports = try files.map {
            (file: $0, findings: try Self.findings(in: $0))
        }
        if output.json {
            JSON.print([
                "files": reports.map {
                    Output(file: $0.file, findings: $0.findings)
                }
            ])
        } else {
            for (file, findings) in reports {
                if findings.isEmpty { print("\(file): no findings.") }
                for finding in findings { print("\(file): \(finding.words)") }
            }
        }
        guard reports.allSatisfy(\.findings.isEmpty) else { throw Outcome.noMatch }
    }

    /// A recorded test's journey has findings of its own only if the test contains it; otherwise it
    /// is another file.
    private static func findings(in file: String) throws -> [Finding] {
        guard try JourneyFile.isTest(file) else {
            return JourneyLinter.lint(try JourneyFile.definition(file)).map(Finding.init)
        }
        let (test, journey) = try JourneyFile.test(file)
        var findings: [Finding] = []
        if case .inline = test.journey { findings = JourneyLinter.lint(journey).map(Finding.init) }
        return findings
            + JourneySimulator.run(journey, test).cases.filter { !$0.hasPassed }.map {
                Finding(failed: $0.name, $0.problems)
            }
    }

    private struct Output: Encodable {
        let file: String
        let findings: [Finding]
    }

    private struct Finding: Encodable {
        let severity, code, message: String
        var step, setting: String?
        /// The finding as text for people.
        let words: String

        private enum CodingKeys: CodingKey { case severity, code, message, step, setting }

        init(failed name: String, _ problems: [String]) {
            (severity, code) = ("error", "test_failed")
            message =
                "the case “\(name)” does not end as recorded: \(problems.joined(separator: "; "))"
            words = "\(severity): \(message)"
        }

        init(_ finding: LintFinding) {
            (severity, code, message) = (
                finding.severity.rawValue, finding.code.rawValue, finding.message
            )
            (step, setting) = (finding.step?.text, finding.setting)
            words = "\(finding)"
        }
    }
}
