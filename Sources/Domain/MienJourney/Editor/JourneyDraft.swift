public import MienCore

/// A definition that somebody is still editing, checked as far as it can be: every step that the
/// parser rejects is reported, and what is known of the others is there.
///
///     let draft = JourneyDraft(try JSONText.parse(bytes))
///     for finding in draft.findings { print(finding.step ?? "", finding.message) }
public struct JourneyDraft: Sendable {
    /// A finding and its place.
    public struct Finding: Sendable, Hashable {
        public let severity: LintFinding.Severity
        /// A code of the linter, or ``JourneyDraft/invalid``.
        public let code: LintFinding.Code
        public let step: String?
        /// A path in the step's `config`, such as `branches[0].id`; `on.failure`, `type`, or
        /// `label` of the step; without a step, a path in the definition.
        public let setting: String?
        /// The problem and the remedy.
        public let message: String
    }

    /// An outcome that a step can have.
    public struct Way: Sendable, Hashable {
        public let outcome: Outcome
        /// Whether the journey cannot continue without a next step for this outcome.
        public let isRequired: Bool
        /// The loops to which the outcome returns because it has no next step.
        public let returnsTo: [StepID]
    }

    public struct Step: Sendable, Hashable {
        public let ways: [Way]
        /// The variables that its expressions can read; `nil` if that is not known, because the
        /// definition is invalid or no path reaches the step.
        public let variables: [JourneyVariables.Variable]?
    }

    /// The code of findings of the parser.
    public static let invalid = LintFinding.Code(rawValue: "invalid")

    /// Errors first.
    public let findings: [Finding]
    /// The steps that the parser accepts.
    public let steps: [StepID: Step]
    /// The definition; `nil` if the parser rejects it.
    public let definition: JourneyDefinition?

    /// - Parameter checksDocuments: Whether the server on which the journey will run checks
    ///   documents; `nil` if that is not known.
    public init(_ source: JSONValue, checksDocuments: Bool? = nil) {
        do throws(JourneyDefinitionError) {
            let definition = try JourneyDefinition(source), flow = JourneyFlow(definition)
            let variables = JourneyVariables.inScope(of: flow)
            let returns = Dictionary(
                grouping: flow.edges.filter { definition.steps[$0.from]?.on[$0.outcome] == nil },
                by: \.from)
            self.definition = definition
            findings = JourneyLinter.lint(definition, flow, checksDocuments: checksDocuments).map {
                Finding(
                    severity: $0.severity, code: $0.code, step: $0.step?.text,
                    setting: $0.setting, message: $0.message)
            }
            steps = Dictionary(
                uniqueKeysWithValues: definition.steps.map { id, step in
                    (id, Step(step, returns[id] ?? [], variables[id]))
                })
        } catch {
            definition = nil
            (findings, steps) = Self.parts(of: source, error)
        }
    }

    /// Checks the steps one by one, because the parser stops at the first error.
    private static func parts(of source: JSONValue, _ first: JourneyDefinitionError) -> (
        [Finding], [StepID: Step]
    ) {
        var findings = [Finding(first)], steps: [StepID: Step] = [:]
        // Deeper documents are rejected as a whole.
        guard source.depth <= JourneyDefinition.maxDepth,
            let members = source["steps"]?.objectValue, members.count <= JourneyDefinition.maxSteps
        else { return (findings, steps) }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let id = StepID(name) else {
                // A path cannot tell a dot in a name from the end of the name.
                if first.path == "steps.\(name)" { findings.removeFirst() }
                findings.append(
                    Finding(
                        severity: .error, code: invalid, step: name, setting: nil,
                        message: "invalid step name; \(SettingReader.nameRule)"))
                continue
            }
            do throws(JourneyDefinitionError) {
                steps[id] = Step(try StepDefinition(id, value), [], nil)
            } catch {
                if error != first { findings.append(Finding(error)) }
            }
        }
        return (findings, steps)
    }
}

extension JourneyDraft.Step {
    fileprivate init(
        _ step: StepDefinition, _ returns: [JourneyFlow.Edge],
        _ variables: [JourneyVariables.Variable]?
    ) {
        ways = step.step.facts.outcomes.map { facts in
            JourneyDraft.Way(
                outcome: facts.outcome, isRequired: facts.isRequired,
                returnsTo: returns.filter { $0.outcome == facts.outcome }.map(\.to).sorted())
        }
        self.variables = variables
    }
}

extension JourneyDraft.Finding {
    /// Divides the path of the parser's error into a step and a setting.
    fileprivate init(_ error: JourneyDefinitionError) {
        (severity, code, message) = (.error, JourneyDraft.invalid, error.reason)
        let parts = error.path.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0] == "steps" else {
            (step, setting) = (nil, error.path.isEmpty ? nil : error.path)
            return
        }
        step = String(parts[1])
        let rest = parts.count > 2 ? String(parts[2]) : ""
        let path = rest.hasPrefix("config.") ? String(rest.dropFirst("config.".count)) : rest
        setting = path.isEmpty ? nil : path
    }
}
