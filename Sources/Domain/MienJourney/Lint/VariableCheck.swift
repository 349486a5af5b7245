internal import MienCore

/// The variables and sensitive fields that any step of a journey sets.
struct VariableNames {
    let secrets, variables: Set<String>

    init(_ definition: JourneyDefinition) {
        let outcomes = definition.steps.values.flatMap { $0.step.facts.outcomes }
        secrets = Set(outcomes.flatMap { $0.secrets + $0.optionalSecrets })
        variables = Set(outcomes.flatMap(\.assigns).map(\.variable)).union(
            SettingReader.ownVariables)
    }
}

/// Checks that the variables a step reads exist.
struct VariableCheck {
    private let step: StepDefinition
    private let known: LintKnowledge
    private let names: VariableNames

    init(_ names: VariableNames, _ step: StepDefinition, _ known: LintKnowledge) {
        (self.names, self.step, self.known) = (names, step, known)
    }

    var findings: [LintFinding] {
        step.step.facts.reads.flatMap { read in
            read.expression.requiredPaths.compactMap { finding($0, read) }
        }
    }

    private func finding(_ path: String, _ read: StepFacts.Read) -> LintFinding? {
        if names.secrets.contains(path), !known.sometimes.contains(path) {
            return secret(path, read)
        }
        if known.always.contains(path) { return nil }
        let variable = String(path.prefix { $0 != "." })
        guard known.sometimes.contains(variable) else { return unknown(variable, read) }
        guard known.always.contains(variable) else { return unassigned(variable, read) }
        if path == variable || known.open.contains(variable) { return nil }
        return known.sometimes.contains(path)
            ? unassigned(path, read) : unknownMember(path, variable, read)
    }

    private func secret(_ path: String, _ read: StepFacts.Read) -> LintFinding? {
        if !read.isSecret {
            return LintFinding(
                .error, .secretRead, step.id, read.setting,
                "“\(path)” is a sensitive field; only settings for secrets, such as password, can read it"
            )
        }
        guard !known.secrets.contains(path) else { return nil }
        return LintFinding(
            .error, .secretForgotten, step.id, read.setting,
            "on some path “\(path)” is no longer held here: sensitive fields are discarded when the client is asked again; use it right after the form"
        )
    }

    private func unknown(_ variable: String, _ read: StepFacts.Read) -> LintFinding {
        let reason =
            names.variables.contains(variable)
            ? "no path to this step sets “\(variable)”; set it before this step"
            : "unknown variable “\(variable)”\(Suggestion.text(for: variable, among: names.variables))"
        return LintFinding(.error, .unknownVariable, step.id, read.setting, reason)
    }

    private func unassigned(_ path: String, _ read: StepFacts.Read) -> LintFinding {
        LintFinding(
            .warning, .unassignedVariable, step.id, read.setting,
            "on some path “\(path)” is not set; set it on every path, or check has(\(path)) first")
    }

    private func unknownMember(_ path: String, _ variable: String, _ read: StepFacts.Read)
        -> LintFinding
    {
        let prefix = variable + "."
        let members = known.sometimes.filter { $0.hasPrefix(prefix) }.map {
            String($0.dropFirst(prefix.count))
        }
        let hint = Suggestion.text(for: String(path.dropFirst(prefix.count)), among: members)
        let list =
            members.isEmpty
            ? "it has no members" : "it has \(members.sorted().joined(separator: ", "))"
        return LintFinding(
            .error, .unknownMember, step.id, read.setting,
            "“\(variable)” does not have this member\(hint) (\(list))")
    }
}
