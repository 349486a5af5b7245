import Foundation
import MienCore
import MienTesting
import Testing

@testable import MienJourney

/// The example journeys that are part of the product.
enum ExampleJourneys {
    static let repository = Repository.root
    static let folder = repository.appending(path: "Examples/Journeys", directoryHint: .isDirectory)

    static let names = [
        "add-face", "change-password", "device-login", "document-registration", "face-login",
        "face-registration", "password-login", "password-reset", "recovery-code",
        "recovery-email", "register-device", "sign-in", "sign-up",
    ]

    static func bytes(_ file: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: file)))
    }
    static func journey(_ name: String) throws -> JourneyDefinition {
        try JourneyDefinition.parse(try bytes("\(name).json"))
    }
    static func test(_ name: String) throws -> RecordedTest {
        try RecordedTest.parse(try bytes("\(name).test.json"))
    }
}

@Suite("Example journeys")
struct ExampleJourneyTests {
    @Test("every example is listed and has recorded tests")
    func files() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: ExampleJourneys.folder.path)
            .filter { $0.hasSuffix(".json") }
        #expect(
            Set(files) == Set(ExampleJourneys.names.flatMap { ["\($0).json", "\($0).test.json"] }))
    }

    @Test("the linter finds nothing", arguments: ExampleJourneys.names)
    func lint(name: String) throws {
        let journey = try ExampleJourneys.journey(name)
        #expect(journey.id.text == name)
        // One sample is for servers that check documents.
        let checksDocuments = name == "document-registration" ? true : nil
        #expect(
            JourneyLinter.lint(journey, checksDocuments: checksDocuments).map(\.description) == [])
    }

    @Test(
        "the recorded tests pass and reach every outcome except the known ones",
        arguments: ExampleJourneys.names)
    func recorded(name: String) throws {
        let test = try ExampleJourneys.test(name)
        #expect(test.journey.description == "\(name).json")
        let report = JourneySimulator.run(try ExampleJourneys.journey(name), test)
        for result in report.cases {
            #expect(
                result.problems == [], "\(result.name)\n\(result.trace.joined(separator: "\n"))")
        }
        // Outcomes that only a faulty server, a check of documents, or an account's other
        // authenticators could cause.
        let known = [
            "add-face": ["register.failure", "without_face.success"],
            "document-registration": ["register.failure"],
            "face-registration": ["register.failure", "verify.challenge"],
            "password-reset": ["recover.failure", "unlock.failure"],
            "recovery-email": ["recover.failure", "unlock_face.failure"],
            "sign-up": ["register.failure", "without_face.success"],
        ]
        #expect(report.untaken.map(\.description) == known[name] ?? [])
    }
}

extension RecordedTest.Source {
    var description: String {
        switch self {
        case .path(let path): path
        case .inline: "inline"
        }
    }
}
