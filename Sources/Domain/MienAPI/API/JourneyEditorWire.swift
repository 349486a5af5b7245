public import MienCore

/// `GET /v1/journeys/steps`: what a journey can be made of.
public struct JourneyStepTypesAnswer: Sendable, Hashable, Codable {
    public var items: [JourneyStepTypeAnswer]
    /// The schemas that the settings refer to as `#/$defs/…`.
    public var definitions: JSONValue

    public init(items: [JourneyStepTypeAnswer], definitions: JSONValue) {
        (self.items, self.definitions) = (items, definitions)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case items, definitions }
}

/// The part that a type of step plays in a journey.
public enum JourneyStepRole: String, WireWord { case client, server, flow, end }

public struct JourneyStepTypeAnswer: Sendable, Hashable, Codable {
    public var type: String
    public var role: WireValue<JourneyStepRole>
    /// The name that clients switch on.
    public var journeyStepID: String?
    /// The JSON Schema of the step's `config`.
    public var settings: JSONValue
    /// The settings that may read sensitive fields.
    public var secrets: [String]
    /// A `config` for a new step.
    public var example: JSONValue
    /// The outcomes of a step with that config.
    public var outcomes: [String]

    public init(
        type: String, role: WireValue<JourneyStepRole>, journeyStepID: String?,
        settings: JSONValue, secrets: [String], example: JSONValue, outcomes: [String]
    ) {
        (self.type, self.role, self.journeyStepID) = (type, role, journeyStepID)
        (self.settings, self.secrets) = (settings, secrets)
        (self.example, self.outcomes) = (example, outcomes)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case type, role, journeyStepID = "journey_step_id", settings, secrets, example, outcomes
    }
}

/// `POST /v1/journeys/check`
public struct CheckJourneyRequest: Sendable, Hashable, Codable {
    public var definition: JSONValue

    public init(definition: JSONValue) { self.definition = definition }

    public enum CodingKeys: String, CodingKey, CaseIterable { case definition }
}

public struct CheckJourneyAnswer: Sendable, Hashable, Codable {
    public var findings: [JourneyFindingAnswer]
    /// The steps that the parser accepts, by name.
    public var steps: [String: CheckedStepAnswer]

    public init(findings: [JourneyFindingAnswer], steps: [String: CheckedStepAnswer]) {
        (self.findings, self.steps) = (findings, steps)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case findings, steps }
}

public enum JourneyFindingSeverity: String, WireWord { case error, warning }

public struct JourneyFindingAnswer: Sendable, Hashable, Codable {
    public var severity: WireValue<JourneyFindingSeverity>
    public var code: String
    public var step: String?
    public var setting: String?
    public var message: String

    public init(
        severity: WireValue<JourneyFindingSeverity>, code: String, step: String?,
        setting: String?, message: String
    ) {
        (self.severity, self.code, self.step) = (severity, code, step)
        (self.setting, self.message) = (setting, message)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case severity, code, step, setting, message
    }
}

public struct CheckedStepAnswer: Sendable, Hashable, Codable {
    public var outcomes: [CheckedOutcomeAnswer]
    /// The variables that the step's expressions can read; `nil` if that is not known.
    public var variables: [VariableAnswer]?

    public init(outcomes: [CheckedOutcomeAnswer], variables: [VariableAnswer]?) {
        (self.outcomes, self.variables) = (outcomes, variables)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case outcomes, variables }
}

public struct CheckedOutcomeAnswer: Sendable, Hashable, Codable {
    public var id: String
    /// Whether the journey cannot continue without a next step for this outcome.
    public var isRequired: Bool
    /// The loops to which the outcome returns because it has no next step.
    public var returnsTo: [String]

    public init(id: String, isRequired: Bool, returnsTo: [String]) {
        (self.id, self.isRequired, self.returnsTo) = (id, isRequired, returnsTo)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, isRequired = "required", returnsTo = "returns_to"
    }
}

public struct VariableAnswer: Sendable, Hashable, Codable {
    /// A variable or one of its members, such as `form.username`.
    public var path: String
    /// Whether it is set on every path to the step.
    public var isAlwaysSet: Bool
    /// Whether it may have members that are not known in advance.
    public var isOpen: Bool
    /// Whether it is a sensitive field, which only settings for secrets can read.
    public var isSecret: Bool

    public init(path: String, isAlwaysSet: Bool, isOpen: Bool, isSecret: Bool) {
        (self.path, self.isAlwaysSet, self.isOpen, self.isSecret) = (
            path, isAlwaysSet, isOpen, isSecret
        )
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case path, isAlwaysSet = "always", isOpen = "open", isSecret = "secret"
    }
}

/// `POST /v1/journeys/code`
public struct JourneyCodeRequest: Sendable, Hashable, Codable {
    public var definition: JSONValue
    public var step: String

    public init(definition: JSONValue, step: String) {
        (self.definition, self.step) = (definition, step)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case definition, step }
}

public struct JourneyCodeAnswer: Sendable, Hashable, Codable {
    public var swift: String
    public var typescript: String

    public init(swift: String, typescript: String) {
        (self.swift, self.typescript) = (swift, typescript)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case swift, typescript }
}
