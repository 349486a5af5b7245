import ArgumentParser
import MienJourney
import MienTools

/// `mien journey test FILE…`
struct TestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract:
            "Test journeys by playing back recorded client responses against a simulated server.",
        discussion: """
            Exits with 0 if every case ends as recorded and 1 if one does not. Needs no server, camera, \
            or model pack.

            EXAMPLE
              mien journey test face-login.test.json
            """)

    @Argument(help: ArgumentHelp("Recorded tests.", valueName: "file")) var files: [String]
    @Flag(help: "Show the path of each case.") var trace = false
    @OptionGroup var output: OutputOptions

    func run() throws {
        let reports = try files.map { file in
            let (test, journey) = try JourneyFile.test(file)
            return (file: file, report: JourneySimulator.run(journey, test))
        }
        if output.json {
            JSON.print(["files": reports.map { Output($0.file, $0.report) }])
        } else {
            for (file, report) in reports { show(file, report) }
        }
        guard reports.allSatisfy(\.report.hasPassed) else { throw Outcome.noMatch }
    }

    private func show(_ file: String, _ report: SimulationReport) {
        for result in report.cases {
            print("\(result.hasPassed ? "✔" : "✘") \(file): \(result.name)")
            for problem in result.problems { print("    \(problem)") }
            if trace || !result.hasPassed { for line in result.trace { print("      \(line)") } }
        }
        let failed = report.cases.count { !$0.hasPassed },
            taken = report.branchCount - report.untaken.count
        print(
            "\(file): \(report.cases.count - failed) passed, \(failed) failed; \(taken) of \(report.branchCount) branches taken"
        )
        if !report.untaken.isEmpty {
            print("  never taken:  \(report.untaken.map(\.description).joined(separator: ", "))")
        }
    }

    private struct Output: Encodable {
        struct Case: Encodable {
            let name: String
            let passed: Bool
            let problems, trace: [String]
        }

        let file: String
        let cases: [Case]
        let ways: Int
        let untaken: [String]

        init(_ file: String, _ report: SimulationReport) {
            self.file = file
            cases = report.cases.map {
                Case(name: $0.name, passed: $0.hasPassed, problems: $0.problems, trace: $0.trace)
            }
            (ways, untaken) = (report.branchCount, report.untaken.map(\.description))
        }
    }
}
