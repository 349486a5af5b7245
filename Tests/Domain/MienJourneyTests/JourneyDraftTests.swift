import Foundation
import MienCore
import Testing

@testable import MienJourney

@Suite("Drafts of journeys")
struct JourneyDraftTests {
    @Test("each type has an example that the parser accepts", arguments: StepCatalog.entries)
    func examples(entry: StepCatalog.Entry) throws {
        let step = try StepDefinition(
            #require(StepID("s")),
            ["type": .string(entry.type.rawValue), "config": entry.example])
        #expect(step.outcomes == entry.outcomes)
        #expect((entry.role == .end) == step.isEnd)
        #expect((entry.role == .client) == step.isClientFacing)
        let properties = Set(entry.settings["properties"]?.objectValue?.keys.map(\.self) ?? [])
        #expect(properties == Set(entry.type.implementation.settings.map(\.name)))
    }

    @Test("a valid draft has the linter's findings, outcomes, and variables")
    func valid() throws {
        var source = try ExampleJourneys.journey("face-login").source
        #expect(JourneyDraft(source).findings == [])
        source["steps"]?["form"]?["on"]?["password"] = "nowhere"
        let draft = JourneyDraft(source)
        let finding = try #require(draft.findings.first)
        #expect(
            finding.code == .danglingTarget && finding.severity == .error && finding.step == "form"
                && finding.setting == "on.password")
        let form = try #require(draft.steps[StepID("form")!])
        #expect(form.ways.map(\.outcome.name).contains("face"))
        #expect(form.variables?.contains { $0.path == "user.level" } == true)
    }

    @Test("an outcome without a next step returns to the loop around it")
    func returns() throws {
        let draft = JourneyDraft(try ExampleJourneys.journey("password-login").source)
        let check = try #require(draft.steps[StepID("check")!])
        let failure = try #require(check.ways.first { $0.outcome == .failure })
        #expect(failure.returnsTo == [StepID("tries")!] && failure.isRequired)
        #expect(check.ways.first { $0.outcome == .success }?.returnsTo == [])
    }

    @Test("every invalid step is reported, and what is known of the others is there")
    func invalid() throws {
        var source = try ExampleJourneys.journey("password-login").source
        source["steps"]?["form"]?["config"]?["title"] = "{{form."
        source["steps"]?["check"]?["type"] = "authenticate_passwort"
        source["steps"]?["odd name"] = ["type": "reject_access"]
        source["steps"]?["more"] = ["type": "reject_access", "on": "done", "extra": 1]
        let draft = JourneyDraft(source)
        #expect(
            draft.definition == nil
                && draft.findings.allSatisfy { $0.code == .init(rawValue: "invalid") })
        let places = Set(draft.findings.map { "\($0.step ?? "-") \($0.setting ?? "-")" })
        #expect(places == ["form title", "check type", "more extra", "odd name -"])
        #expect(Set(draft.steps.keys.map(\.text)) == ["tries", "done", "refused"])
        #expect(draft.steps.values.allSatisfy { $0.variables == nil })
    }

    @Test(
        "a document other than a journey has one finding and no steps",
        arguments: [
            "[]", "null", "\"text\"", "{}", "{\"id\": 1}", "{\"id\": \"a\", \"steps\": []}",
            "{\"steps\": {\"a\": 1}}",
        ])
    func nonsense(text: String) throws {
        let draft = JourneyDraft(try JSONText.parse(text))
        #expect(draft.findings.contains { $0.severity == .error } && draft.steps.isEmpty)
    }

    @Test("a journey whose loops lead to each other in every order is reported, not followed")
    func manyPaths() throws {
        var steps: [String: JSONValue] = ["done": ["type": "complete_journey"]]
        let loops = (0..<20).map { "loop\($0)" }
        steps["form"] = [
            "type": "login_form",
            "config": ["branches": .array(loops.map { ["id": .string("to_\($0)")] })],
            "on": .object(
                Dictionary(uniqueKeysWithValues: loops.map { ("to_\($0)", .string($0)) })),
        ]
        for loop in loops {
            steps[loop] = [
                "type": "loop", "config": ["max_iterations": 2],
                "on": ["body": "form", "done": "done"],
            ]
        }
        let source: JSONValue = [
            "id": "j", "version": 1, "title": "J", "start": "form", "steps": .object(steps),
        ]
        let findings = JourneyDraft(source).findings
        #expect(findings.map(\.code) == [.tooManyPaths], "\(findings)")
    }

    @Test("generated code for one step has that step alone, and compiles as a part of the whole")
    func code() throws {
        let journey = try ExampleJourneys.journey("face-login")
        let form = try #require(StepID("form"))
        let one = SwiftClientCode.source(of: journey, step: form)
        let all = SwiftClientCode.source(of: journey)
        #expect(one.contains("public enum Form:") && !one.contains("public enum CheckFace"))
        #expect(all.count > one.count)
        // Each line of the step's code is in the code of the whole journey.
        let lines = Set(all.split(separator: "\n"))
        #expect(one.split(separator: "\n").allSatisfy(lines.contains))
        let script = TypeScriptClientCode.source(of: journey, step: form)
        #expect(script.components(separatedBy: "export const").count == 4)
    }
}

extension JSONValue {
    /// A member of an object, to change an example.
    fileprivate subscript(_ name: String) -> JSONValue? {
        get { objectValue?[name] }
        set {
            var members = objectValue ?? [:]
            members[name] = newValue
            self = .object(members)
        }
    }
}
