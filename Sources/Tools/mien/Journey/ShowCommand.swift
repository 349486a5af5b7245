import ArgumentParser
import MienCore
import MienJourney
import MienTools

/// `mien journey show FILE`
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a journey's steps and where they lead, as a table or a picture.",
        discussion: """
            EXAMPLE
              mien journey show face-login.json
              mien journey show face-login.json --dot | dot -Tsvg -o face-login.svg
            """)

    enum Picture: String, EnumerableFlag {
        case dot, mermaid

        static func help(for value: Self) -> ArgumentHelp? {
            switch value {
            case .dot: "Print the graph for Graphviz."
            case .mermaid: "Print the graph for Mermaid, which documentation sites render."
            }
        }
    }

    @Argument(help: "The journey definition.") var file: String
    @Flag var picture: Picture?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if output.json, let picture {
            throw ValidationError("--json and --\(picture.rawValue) cannot be combined")
        }
    }

    func run() throws {
        let journey = try JourneyFile.definition(file)
        switch picture {
        case .dot: print(JourneyGraph.dot(journey), terminator: "")
        case .mermaid: print(JourneyGraph.mermaid(journey), terminator: "")
        case nil: output.json ? JSON.print(Output(journey)) : show(journey)
        }
    }

    private func show(_ journey: JourneyDefinition) {
        print(
            "\(journey.title) (\(journey.id), version \(journey.version)), from “\(journey.start)”")
        if let description = journey.description { print(description) }
        let rows = journey.steps.values.sorted { $0.id < $1.id }.map { step in
            let ways = step.on.sorted { $0.key < $1.key }.map { "\($0.key) → \($0.value)" }.joined(
                separator: ", ")
            return [step.id.text, step.type.rawValue, step.isClientFacing ? "asks" : "", ways]
        }
        print("\n" + Terminal.table(rows, heading: ["step", "type", "client", "next steps"]))
    }

    private struct Output: Encodable {
        struct Step: Encodable {
            let id, type: String
            let asksClient: Bool
            let on: [String: String]
        }

        let id, title, start: String
        let description: String?
        let version: Int
        let steps: [Step]

        init(_ journey: JourneyDefinition) {
            (id, title, start, description, version) = (
                journey.id.text, journey.title, journey.start.text, journey.description,
                journey.version
            )
            steps = journey.steps.values.sorted { $0.id < $1.id }.map { step in
                let on = step.on.map { ($0.key.name, $0.value.text) }
                return Step(
                    id: step.id.text, type: step.type.rawValue, asksClient: step.isClientFacing,
                    on: Dictionary(uniqueKeysWithValues: on))
            }
        }
    }
}
