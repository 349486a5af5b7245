import ArgumentParser
import MienCore
import MienJourney
import MienTools

/// `mien journey variables FILE`
struct VariablesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "variables",
        abstract: "List the variables that the expressions of each step can read.",
        discussion: """
            For completion in editors. A variable that is set on only some paths to a step needs \
            has() there. A step that no path reaches has no variables.

            EXAMPLE
              mien journey variables face-login.json --step check_face
            """)

    @Argument(help: "The journey definition.") var file: String
    @Option(help: ArgumentHelp("List only this step's variables.", valueName: "name"))
    var step: String?
    @OptionGroup var output: OutputOptions

    func run() throws {
        let journey = try JourneyFile.definition(file)
        if let step, !journey.steps.keys.contains(where: { $0.text == step }) {
            throw Failure(
                .badInput, "journey.no-step",
                "\(file) has no step “\(step.printable)”; its steps are \(journey.steps.keys.map(\.text).sorted().joined(separator: ", "))"
            )
        }
        let scopes = JourneyVariables.inScope(of: journey).filter {
            step == nil || $0.key.text == step
        }.sorted { $0.key < $1.key }
        if output.json {
            return JSON.print([
                "steps": scopes.map { Output(step: $0.key.text, variables: $0.value.map(Row.init)) }
            ])
        }
        let rows = scopes.flatMap { step, variables in
            variables.map { [step.text, $0.path, $0.isSecret ? "secret" : $0.words] }
        }
        print(Terminal.table(rows, heading: ["step", "variable", "set"]))
    }

    private struct Output: Encodable {
        let step: String
        let variables: [Row]
    }

    private struct Row: Encodable {
        let path: String
        let always, open, secret: Bool

        init(_ variable: JourneyVariables.Variable) {
            path = variable.path
            (always, open, secret) = (
                variable.isAlwaysSet, variable.isOpen, variable.isSecret
            )
        }
    }
}

extension JourneyVariables.Variable {
    fileprivate var words: String {
        (isAlwaysSet ? "always" : "on some paths") + (isOpen ? ", with any members" : "")
    }
}
