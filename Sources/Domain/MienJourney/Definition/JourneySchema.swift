public import MienCore

/// The published JSON Schema of definitions, generated from the same settings tables that the
/// parser uses.
public enum JourneySchema {
    public static let address = "urn:mien:schema:journey:1"

    public static var json: JSONValue {
        var definitions = shared
        for type in StepType.allCases { definitions["step_\(type.rawValue)"] = step(type) }
        return [
            "$schema": .string(dialect), "$id": .string(address), "title": "Mien journey",
            "type": "object", "additionalProperties": false,
            "required": ["id", "version", "title", "start", "steps"],
            "properties": .object(properties), "$defs": .object(definitions),
        ]
    }

    /// The schema of one step's settings, complete by itself: for the form of an editor.
    public static func settings(of type: StepType) -> JSONValue {
        var schema = config(type)
        schema["$schema"] = .string(dialect)
        schema["$id"] = .string("\(address):step:\(type.rawValue)")
        schema["title"] = .string(type.rawValue)
        schema["$defs"] = .object(shared)
        return .object(schema)
    }

    /// The definitions that settings refer to as `#/$defs/…`.
    public static var definitions: JSONValue { .object(shared) }

    private static let dialect = "https://json-schema.org/draft/2020-12/schema"

    /// The definitions that settings refer to.
    private static var shared: [String: JSONValue] {
        [
            "expression": [
                "type": "string", "maxLength": .number(Double(JourneyExpression.maxBytes)),
                "description": "An expression.",
            ],
            "expressions": [
                "type": "object", "additionalProperties": ["$ref": "#/$defs/expression"],
                "propertyNames": ["$ref": "#/$defs/variable"],
            ],
            "step_name": ["type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"],
            "variable": ["type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]{0,63}$"],
            "code": ["type": "string", "pattern": "^[a-z0-9_.-]{1,64}$"],
            "input_schema": inputSchema, "custom_branch": branch(ClientSettings.branchKeys),
            "login_branch": branch(LoginForm.branchKeys),
            "consent": consent, "liveness": liveness,
        ]
    }

    private static var properties: [String: JSONValue] {
        [
            "$schema": ["type": "string"],
            "id": ["type": "string", "pattern": "^[A-Za-z0-9_.-]{1,64}$"],
            "version": integer(1...1_000_000, "A run keeps the version it started with."),
            "title": text(200), "description": text(4000),
            "start": ["$ref": "#/$defs/step_name"],
            "steps": [
                "type": "object", "minProperties": 1,
                "maxProperties": .number(Double(JourneyDefinition.maxSteps)),
                "propertyNames": ["$ref": "#/$defs/step_name"],
                "additionalProperties": [
                    "oneOf": .array(
                        StepType.allCases.map { ["$ref": .string("#/$defs/step_\($0.rawValue)")] })
                ],
            ],
            "limits": object([
                "max_steps": integer(
                    JourneyDefinition.Limits.stepsRange,
                    "Maximum number of steps between two client responses. Default: 200."),
                "lifetime_seconds": integer(
                    JourneyDefinition.Limits.lifetimeRange,
                    "Maximum duration of a run. Default: 3600."),
            ]),
            "parameters": ["$ref": "#/$defs/input_schema"],
            "requires_user": [
                "type": "boolean", "default": false,
                "description": "Whether only a signed-in user can start the journey.",
            ],
        ]
    }

    private static func step(_ type: StepType) -> JSONValue {
        let config = config(type)
        return [
            "type": "object", "additionalProperties": false,
            "required": config["required"] == nil ? ["type"] : ["type", "config"],
            "properties": [
                "type": ["const": .string(type.rawValue)], "label": text(200),
                "config": .object(config),
                "on": [
                    "type": "object", "propertyNames": ["$ref": "#/$defs/step_name"],
                    "additionalProperties": ["$ref": "#/$defs/step_name"],
                    "description": "The step that follows each outcome.",
                ],
            ],
        ]
    }

    /// Returns the schema of one step's settings, which refers to ``definitions``.
    static func config(_ type: StepType) -> [String: JSONValue] {
        let settings = type.implementation.settings
        let required = settings.filter(\.isRequired).map { JSONValue.string($0.name) }
        var config =
            object(Dictionary(uniqueKeysWithValues: settings.map { ($0.name, $0.schema) }))
            .objectValue ?? [:]
        if !required.isEmpty { config["required"] = .array(required) }
        return config
    }

    private static var inputSchema: JSONValue {
        let field = object([
            "type": ["enum": words(InputSchema.Field.Kind.self), "default": "string"],
            "title": text(200),
            "format": ["enum": words(InputSchema.Field.Format.self)],
            "minLength": integer(0...4096, nil), "maxLength": integer(1...4096, nil),
            "sensitive": ["type": "boolean"],
        ])
        return object([
            "type": ["const": "object"],
            "required": ["type": "array", "items": ["type": "string"], "uniqueItems": true],
            "properties": [
                "type": "object", "maxProperties": .number(Double(InputSchema.maxFields)),
                "propertyNames": ["$ref": "#/$defs/variable"],
                "additionalProperties": field,
            ],
        ])
    }

    private static func branch(_ keys: [String]) -> JSONValue {
        let all: [String: JSONValue] = [
            "id": ["$ref": "#/$defs/step_name"], "label": text(200),
            "schema": ["$ref": "#/$defs/input_schema"],
            "kind": ["enum": words(LoginForm.Kind.self)],
        ]
        var branch = object(all.filter { keys.contains($0.key) }).objectValue ?? [:]
        branch["required"] = ["id"]
        return .object(branch)
    }

    private static var consent: JSONValue {
        var consent =
            object([
                "text_version": ["$ref": "#/$defs/code"], "given": ["$ref": "#/$defs/expression"],
                "earlier": ["type": "boolean", "default": false],
                "title": text(500), "text": text(Information.maxTextLength), "button": text(100),
            ]).objectValue ?? [:]
        consent["required"] = ["text_version"]
        return .object(consent)
    }

    private static var liveness: JSONValue {
        object([
            "mode": ["enum": words(LivenessPolicy.Mode.self)],
            "threshold": integer(LivenessPolicy.gradeRange, nil),
            "quality": integer(LivenessPolicy.gradeRange, nil),
            "timeout_seconds": integer(LivenessPolicy.timeoutRange, nil),
            "actions": [
                "type": "array", "items": ["enum": words(LivenessPolicy.Action.self)],
                "minItems": 2, "uniqueItems": true,
            ],
            "action_count": integer(LivenessPolicy.actionCountRange, nil),
            "accommodation": ["type": "boolean", "default": true],
            "light": ["enum": words(LightMode.self)],
            "light_accommodation": ["type": "boolean", "default": false],
        ])
    }

    // MARK: Schema fragments

    static func object(_ properties: [String: JSONValue]) -> JSONValue {
        ["type": "object", "additionalProperties": false, "properties": .object(properties)]
    }

    static func text(_ maxLength: Int) -> JSONValue {
        ["type": "string", "minLength": 1, "maxLength": .number(Double(maxLength))]
    }

    static func integer(_ range: ClosedRange<Int>, _ about: String?) -> JSONValue {
        var members: [String: JSONValue] = [
            "type": "integer", "minimum": .number(Double(range.lowerBound)),
            "maximum": .number(Double(range.upperBound)),
        ]
        if let about { members["description"] = .string(about) }
        return .object(members)
    }

    private static func words<T: RawRepresentable & CaseIterable>(_ type: T.Type) -> JSONValue
    where T.RawValue == String {
        .array(T.allCases.map { .string($0.rawValue) })
    }
}

extension Setting {
    /// The setting's JSON Schema.
    fileprivate var schema: JSONValue {
        var members: [String: JSONValue]
        switch kind {
        case .expression, .secret: members = ["$ref": "#/$defs/expression"]
        case .template: members = ["type": "string", "minLength": 1]
        case .text(let maxLength): members = JourneySchema.text(maxLength).objectValue ?? [:]
        case .code: members = ["$ref": "#/$defs/code"]
        case .integer(let range): members = JourneySchema.integer(range, nil).objectValue ?? [:]
        case .flag: members = ["type": "boolean"]
        case .choice(let words): members = ["enum": .array(words.map { .string($0) })]
        case .variable: members = ["$ref": "#/$defs/variable"]
        case .expressions(let maxCount):
            members = ["$ref": "#/$defs/expressions", "maxProperties": .number(Double(maxCount))]
        case .customBranches: members = Self.list("custom_branch", 0)
        case .loginBranches: members = Self.list("login_branch", 1)
        case .consent: members = ["$ref": "#/$defs/consent"]
        case .liveness: members = ["$ref": "#/$defs/liveness"]
        case .url:
            members = [
                "type": "string", "format": "uri", "pattern": "^https?://", "maxLength": 2000,
            ]
        case .returnAddress:
            members = [
                "type": "string", "format": "uri", "maxLength": 2000,
                "pattern": "^(https?://|[A-Za-z][A-Za-z0-9+-]*\\.[A-Za-z0-9.+-]*:)",
            ]
        }
        members["description"] = .string(about)
        if let defaultValue { members["default"] = defaultValue }
        return .object(members)
    }

    private static func list(_ item: String, _ least: Int) -> [String: JSONValue] {
        [
            "type": "array", "items": ["$ref": .string("#/$defs/\(item)")],
            "minItems": .number(Double(least)),
            "maxItems": .number(Double(ClientSettings.maxBranches)),
        ]
    }
}
