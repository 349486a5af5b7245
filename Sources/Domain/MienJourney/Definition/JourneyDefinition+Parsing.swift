public import MienCore

extension JourneyDefinition {
    static let keys = [
        "$schema", "id", "version", "title", "description", "start", "steps", "limits",
        "parameters", "requires_user",
    ]
    static let limitKeys = ["max_steps", "lifetime_seconds"]
    static let stepKeys = ["type", "label", "config", "on"]

    /// Parses a definition strictly: an unknown key, an unknown type, or a value out of range is an
    /// error that names the path.
    ///
    /// An accepted definition can run. ``JourneyLinter`` checks whether it makes sense.
    public static func parse(_ bytes: [UInt8]) throws(JourneyDefinitionError) -> JourneyDefinition {
        let value: JSONValue
        do {
            value = try JSONText.parse(
                bytes, limits: JSONText.Limits(maxBytes: maxBytes, maxDepth: maxDepth))
        } catch {
            throw JourneyDefinitionError(path: "", reason: error.description)
        }
        return try JourneyDefinition(value)
    }

    /// Creates a definition from parsed JSON. See ``parse(_:)``.
    public init(_ source: JSONValue) throws(JourneyDefinitionError) {
        guard source.depth <= Self.maxDepth else {
            throw JourneyDefinitionError(
                path: "",
                reason: "lists and objects are nested deeper than \(Self.maxDepth) levels")
        }
        let reader = try SettingReader(source, path: "", known: Self.keys)
        self.source = source
        let id = try reader.required("id", try reader.string("id", maxLength: 64))
        guard let journeyID = JourneyID(id) else {
            throw reader.error("id", "expected 1 to 64 of A-Z, a-z, 0-9, “_”, “-” and “.”")
        }
        self.id = journeyID
        version = try reader.required("version", try reader.integer("version", 1...1_000_000))
        title = try reader.required("title", try reader.string("title", maxLength: 200))
        description = try reader.string("description", maxLength: 4000)
        start = try reader.required("start", try reader.step("start"))
        limits = try Self.limits(reader)
        parameters = try reader.value("parameters").map { value throws(JourneyDefinitionError) in
            try InputSchema(value, path: "parameters")
        }
        if let secret = parameters?.fields.first(where: \.isSensitive) {
            throw reader.error(
                "parameters.properties.\(secret.name)",
                "start parameters cannot be sensitive; ask for the value in a form")
        }
        requiresUser = try reader.flag("requires_user", default: false)
        var steps = try Self.steps(reader)
        Self.markNewFields(in: &steps)
        self.steps = steps
        captureUses = [:]
        captureUses = CaptureUse.all(in: self)
    }

    /// Marks the fields of forms that become passwords, or the names of accounts, whatever they are
    /// called.
    private static func markNewFields(in steps: inout [StepID: StepDefinition]) {
        var passwords: Set<String> = [], names: Set<String> = []
        for definition in steps.values {
            switch definition.step {
            case let step as CreateUser:
                passwords.formUnion(members([step.password]))
                names.formUnion(members([step.externalID, step.username, step.email]))
            case let step as SetPassword: passwords.formUnion(members([step.password]))
            case let step as ChangePassword: passwords.formUnion(members([step.new]))
            default: break
            }
        }
        for (id, definition) in steps {
            guard var form = definition.step as? LoginForm, let variable = form.outputVariable
            else { continue }
            form.markNew(
                passwords: { passwords.contains("\(variable).\($0)") },
                names: { names.contains("\(variable).\($0)") })
            steps[id]?.step = form
        }
    }

    /// The members of variables that expressions use, such as `form.password`.
    private static func members(_ expressions: [JourneyExpression?]) -> [String] {
        expressions.flatMap {
            ($0?.source ?? "").matches(of: /[A-Za-z_][A-Za-z_0-9]*\.[A-Za-z_0-9]+/)
                .map { String($0.output) }
        }
    }

    private static func limits(_ reader: SettingReader) throws(JourneyDefinitionError) -> Limits {
        guard let value = reader.value("limits") else { return Limits() }
        let reader = try SettingReader(value, path: "limits", known: limitKeys)
        let standard = Limits()
        return Limits(
            maxSteps: try reader.integer(
                "max_steps", Limits.stepsRange, default: standard.maxSteps),
            lifetimeSeconds: try reader.integer(
                "lifetime_seconds", Limits.lifetimeRange, default: standard.lifetimeSeconds))
    }

    private static func steps(_ reader: SettingReader) throws(JourneyDefinitionError) -> [StepID:
        StepDefinition]
    {
        let entries = try reader.required("steps", try reader.object("steps", maxCount: maxSteps))
        guard !entries.isEmpty else {
            throw reader.error("steps", "a journey needs at least one step")
        }
        var steps: [StepID: StepDefinition] = [:]
        for (name, value) in entries {
            guard let id = StepID(name) else {
                throw reader.error("steps.\(name)", "invalid step name; \(SettingReader.nameRule)")
            }
            steps[id] = try StepDefinition(id, value)
        }
        return steps
    }
}

extension StepDefinition {
    init(_ id: StepID, _ value: JSONValue) throws(JourneyDefinitionError) {
        let path = "steps.\(id)"
        let reader = try SettingReader(value, path: path, known: JourneyDefinition.stepKeys)
        guard let word = reader.value("type") else {
            throw reader.error("type", "required but missing")
        }
        guard let type = word.stringValue.flatMap(StepType.init(rawValue:)) else {
            let hint = Suggestion.text(
                for: word.stringValue ?? "", among: StepType.allCases.map(\.rawValue))
            throw reader.error(
                "type",
                "unknown step type\(hint) (allowed: \(StepType.allCases.map(\.rawValue).joined(separator: ", ")))"
            )
        }
        self.id = id
        self.type = type
        label = try reader.string("label", maxLength: 200)
        let implementation = type.implementation
        let config = try SettingReader(
            reader.value("config") ?? [:], path: "\(path).config",
            known: implementation.settings.map(\.name))
        for setting in implementation.settings where setting.isRequired && !config.has(setting.name)
        {
            throw config.error(setting.name, "required but missing")
        }
        step = try implementation.init(config)
        on = try Self.on(reader)
    }

    private static func on(_ reader: SettingReader) throws(JourneyDefinitionError) -> [Outcome:
        StepID]
    {
        var on: [Outcome: StepID] = [:]
        for (name, value) in try reader.object("on", maxCount: 100) ?? [] {
            guard StepID.isName(name) else {
                throw reader.error("on.\(name)", "invalid outcome; \(SettingReader.nameRule)")
            }
            let outcome = Outcome.aliases[name] ?? Outcome(name)
            guard on[outcome] == nil else {
                throw reader.error("on.\(name)", "“\(name)” and “\(outcome)” are the same outcome")
            }
            guard let target = value.stringValue.flatMap(StepID.init) else {
                throw reader.error("on.\(name)", "expected the name of a step")
            }
            on[outcome] = target
        }
        return on
    }
}
