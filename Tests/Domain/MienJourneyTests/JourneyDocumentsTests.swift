import Foundation
import MienAPI
import MienCore
import Testing

@testable import MienJourney

/// Compares the published documents with generated ones. `MIEN_UPDATE=1 swift test --filter
/// JourneyDocumentsTests` updates them.
@Suite("Published documents")
struct JourneyDocumentsTests {
    private static let spec = ExampleJourneys.repository.appending(
        path: "docs/spec", directoryHint: .isDirectory)
    private static let isUpdating = ProcessInfo.processInfo.environment["MIEN_UPDATE"] == "1"

    @Test("the published schema matches the parser's tables")
    func schema() throws {
        let file = Self.spec.appending(path: "journey.schema.json"),
            text = JSONText.write(JourneySchema.json, pretty: true) + "\n"
        if Self.isUpdating { try Data(text.utf8).write(to: file) }
        #expect(String(decoding: try Data(contentsOf: file), as: UTF8.self) == text)
    }

    @Test("the schema has exactly the existing types and settings")
    func coverage() throws {
        let definitions = try #require(JourneySchema.json["$defs"]?.objectValue)
        #expect(
            Set(definitions.keys.filter { $0.hasPrefix("step_") && $0 != "step_name" })
                == Set(StepType.allCases.map { "step_\($0.rawValue)" }))
        for type in StepType.allCases {
            let config = definitions["step_\(type.rawValue)"]?["properties"]?["config"]
            #expect(config?["additionalProperties"] == false)
            #expect(
                Set(config?["properties"]?.objectValue?.keys.map(\.self) ?? [])
                    == Set(type.implementation.settings.map(\.name)))
        }
        #expect(
            Set(JourneySchema.json["properties"]?.objectValue?.keys.map(\.self) ?? [])
                == Set(JourneyDefinition.keys))
    }

    /// Compares `Tests/Journeys/every-step.json` with the catalog. `scripts/check-snippets` compiles the
    /// client code of each of its steps, because docs/journey-editor.md names the file.
    @Test("a journey has every type of step that clients see, with its example")
    func everyStep() throws {
        var steps: [String: JSONValue] = ["done": ["type": "complete_journey"]]
        for entry in StepCatalog.entries where entry.role == .client {
            steps[entry.type.rawValue] = [
                "type": .string(entry.type.rawValue), "config": entry.example,
            ]
        }
        let journey: JSONValue = [
            "id": "every-step", "version": 1, "title": "Every step", "start": "login_form",
            "steps": .object(steps),
        ]
        let file = ExampleJourneys.repository.appending(path: "Tests/Journeys/every-step.json"),
            text = JSONText.write(journey, pretty: true) + "\n"
        if Self.isUpdating { try Data(text.utf8).write(to: file) }
        #expect(String(decoding: try Data(contentsOf: file), as: UTF8.self) == text)
        let definition = try JourneyDefinition(journey)
        let code = SwiftClientCode.source(of: definition)
        #expect(
            code.components(separatedBy: "extension JourneyStep {").count == steps.count
                && TypeScriptClientCode.source(of: definition).components(
                    separatedBy: "stepId:"
                ).count == steps.count)
    }

    /// The reference of types and settings, between two markers on the page.
    private static var reference: String {
        var lines: [String] = []
        for type in StepType.allCases {
            let definition = try? StepDefinition(
                StepID("s")!,
                [
                    "type": .string(type.rawValue),
                    "config": .object(DefinitionTests.least[type] ?? [:]),
                ])
            let outcomes = definition?.outcomes.map { "`\($0)`" } ?? []
            let ends =
                definition?.isEnd == true
                ? "ends the journey" : "outcomes: " + outcomes.joined(separator: ", ")
            lines += [
                "### `\(type.rawValue)`", "",
                [
                    type.wireName.map { "asks the client: `\($0.rawValue)`" } ?? "on the server",
                    ends,
                ].joined(
                    separator: "; "), "",
            ]
            guard !type.implementation.settings.isEmpty else { continue }
            lines += ["| setting | takes | default | |", "|---|---|---|---|"]
            for setting in type.implementation.settings {
                let standard =
                    setting.isRequired
                    ? "required" : setting.defaultValue.map { "`\(JSONText.write($0))`" } ?? ""
                lines.append(
                    "| `\(setting.name)` | \(setting.kind.words) | \(standard) | \(setting.about) |"
                )
            }
            lines.append("")
        }
        return lines.joined(separator: "\n")
    }

    @Test("the page lists every type with every setting and default")
    func page() throws {
        let file = Self.spec.appending(path: "journeys.md")
        let page = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let marks = ("<!-- reference -->\n\n", "<!-- end of reference -->")
        let start = try #require(page.firstRange(of: marks.0)),
            end = try #require(page.firstRange(of: marks.1))
        let updated = page[..<start.upperBound] + Self.reference + page[end.lowerBound...]
        if Self.isUpdating { try Data(updated.utf8).write(to: file) }
        #expect(page[start.upperBound..<end.lowerBound] == Self.reference || Self.isUpdating)
        var words =
            StepErrorCode.allCases.map(\.rawValue) + LintFinding.Code.allCases.map(\.rawValue)
            + Rejection.Cause.allCases.map(\.rawValue)
        words +=
            JourneyClientError.Code.allCases.map(\.rawValue)
            + JourneyStepName.allCases.flatMap { [$0.rawValue] + $0.aliases }
        words +=
            ExpressionFunction.allCases.map(\.rawValue) + ClientOptionType.allCases.map(\.rawValue)
        #expect(words.filter { !page.contains("`\($0)`") } == [])
    }

    @Test("the tables' defaults match the parser's")
    func defaults() throws {
        for type in StepType.allCases {
            let least = DefinitionTests.least[type] ?? [:]
            let defaults = type.implementation.settings.compactMap { setting in
                setting.defaultValue.map { (setting.name, $0) }
            }
            let full = least.merging(Dictionary(uniqueKeysWithValues: defaults)) { $1 }
            func made(_ config: [String: JSONValue]) throws -> String {
                var text = ""
                dump(
                    try StepDefinition(
                        StepID("s")!, ["type": .string(type.rawValue), "config": .object(config)]
                    ).step, to: &text)
                return text
            }
            #expect(try made(least) == made(full), "\(type.rawValue)")
        }
    }

    @Test("journeys are drawn as graphs")
    func pictures() throws {
        let journey = try ExampleJourneys.journey("password-login")
        #expect(
            JourneyGraph.mermaid(journey) == """
                flowchart TD
                  start((start))
                  s0["check<br/>authenticate_password"]
                  s1((("done<br/>complete_journey")))
                  s2(["form<br/>login_form"])
                  s3[["refused<br/>reject_access"]]
                  s4{{"tries<br/>loop"}}
                  start --> s4
                  s0 -.->|failure| s4
                  s0 -->|success| s1
                  s2 -->|password| s0
                  s4 -->|body| s2
                  s4 -->|done| s3

                """)
        let dot = JourneyGraph.dot(journey)
        #expect(dot.hasPrefix("digraph journey {\n") && dot.hasSuffix("}\n"))
        #expect(
            dot.contains(#"  "check" -> "tries" [label="failure", style=dashed];"#)
                && dot.contains("  start -> \"tries\";"))
        let quoted = try JourneyDefinition([
            "id": "j", "version": 1, "title": "A \"B\" \\", "start": "s",
            "steps": ["s": ["type": "reject_access", "label": "say \"no\""]],
        ])
        #expect(
            JourneyGraph.dot(quoted).contains(#"label="A \"B\" \\""#)
                && JourneyGraph.dot(quoted).contains(#"label="say \"no\"\nreject_access""#))
        #expect(
            JourneyGraph.mermaid(quoted).contains("[[\"say #quot;no#quot;<br/>reject_access\"]]"))
    }
}

extension Setting.Kind {
    /// The reference's name for this kind.
    fileprivate var words: String {
        switch self {
        case .expression: "expression"
        case .secret: "expression, may read a sensitive field"
        case .template: "text with `{{expression}}`"
        case .text(let length): "text, at most \(length)"
        case .code: "1…64 of `a-z 0-9 _ . -`"
        case .integer(let range): "\(range.lowerBound)…\(range.upperBound)"
        case .flag: "`true`, `false`"
        case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .variable: "variable"
        case .expressions(let count): "up to \(count) names and expressions"
        case .customBranches: "[branches](#custom-branches)"
        case .loginBranches: "[branches](#branches-of-a-login-form)"
        case .consent: "[consent](#consent)"
        case .liveness: "[liveness](#liveness)"
        case .url, .returnAddress: "address"
        }
    }
}
