// Checks a journey and plays its recorded test, without a server.
//
//     swift run -c release CheckJourney ../Examples/Journeys/password-login.json
//
// The test is the file beside it, password-login.test.json. It prints:
//
//     password-login: 3 steps, no findings
//     passed: the right password
//     …
//     every branch was taken
//
// The exit status is 0 if the journey has no errors and its test passes, 1 if not, and 2 if a file
// cannot be read.

import Foundation
import MienCore
import MienJourney

guard CommandLine.arguments.count == 2, CommandLine.arguments[1].hasSuffix(".json") else {
    FileHandle.standardError.write(Data("usage: CheckJourney JOURNEY.json\n".utf8))
    exit(2)
}
let path = CommandLine.arguments[1]
let journey: JourneyDefinition
let test: RecordedTest
do {
    journey = try .parse(bytes(of: path))
    test = try .parse(bytes(of: path.dropLast(".json".count) + ".test.json"))
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(2)
}

let findings = JourneyLinter.lint(journey)
let count = findings.isEmpty ? "no findings" : "findings: \(findings.count)"
print("\(journey.id): \(journey.steps.count) steps, \(count)")
for finding in findings { print(finding) }

let report = JourneySimulator.run(journey, test)
for recorded in report.cases {
    print("\(recorded.hasPassed ? "passed" : "failed"): \(recorded.name)")
    for problem in recorded.problems { print("    \(problem)") }
}
if report.untaken.isEmpty {
    print("every branch was taken")
} else {
    print("\(report.untaken.count) of \(report.branchCount) branches were not taken")
}

let isRight =
    !findings.contains { $0.severity == .error } && report.hasPassed
exit(isRight ? 0 : 1)

func bytes(of path: some StringProtocol) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: String(path))))
}
