import ArgumentParser
import MienCommandSupport
import MienJourney

/// `mien journey lint FILE…`
struct LintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint", abstract: "Check that journeys work on every path.",
        discussion: """
            Exits with 0 if there are no findings, 1 if there are findings (errors or warnings), and 2 \
            if a file is not a valid journey.

            EXAMPLE
              mien journey lint face-login.json sign-up.json
            """)

    @Argument(help: ArgumentHelp("Journey definitions.", valueName: "file")) var files: [String]
    @OptionGroup var output: OutputOptions

    func run() throws {
        let reports = try files.map {
            (file: $0, findings: JourneyLinter.lint(try JourneyFile.definition($0)))
        }
        if output.json {
            JSON.print([
                "files": reports.map {
                    Output(file: $0.file, findings: $0.findings.map(Finding.init))
                }
            ])
        } else {
            for (file, findings) in reports {
                if findings.isEmpty { print("\(file): no findings.") }
                for finding in findings { print("\(file): \(finding)") }
            }
        }
        guard reports.allSatisfy(\.findings.isEmpty) else { throw Outcome.noMatch }
    }

    private struct Output: Encodable {
        let file: String
        let findings: [Finding]
    }

    private struct Finding: Encodable {
        let severity, code, message: String
        let step, setting: String?

        init(_ finding: LintFinding) {
            (severity, code, message) = (
                finding.severity.rawValue, finding.code.rawValue, finding.message
            )
            (step, setting) = (finding.step?.text, finding.setting)
        }
    }
}
