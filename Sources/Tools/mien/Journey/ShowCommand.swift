import ArgumentParser
import MienCore
import MienJourney

/// `mien journey show FILE`
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a journey: its steps and where they lead, as a table or a picture.",
        discussion: """
            EXAMPLE
              mien journey show face-login.json
              mien journey show face-login.json --dot | dot -Tsvg -o face-login.svg
            """)

    enum Picture: String, EnumerableFlag {
        case dot, mermaid

        static func help(for value: Self) -> ArgumentHelp? {
            switch value {
            case .dot: "For Graphviz."
            case .mermaid: "For Mermaid, which documentation sites draw."
            }
        }
    }

    @Argument(help: "The definition of a journey.") var file: String
    @Flag var picture: Picture?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if output.json, let picture {
            throw ValidationError("--json and --\(picture.rawValue) exclude each other")
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
        print("\n" + Terminal.table(rows, heading: ["step", "type", "client", "ways on"]))
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
