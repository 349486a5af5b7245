public import MienCore

/// The data a client is asked to send, in a small subset of JSON Schema.
///
///     {"properties": {"username": {"type": "string", "title": "User name"}, "password": {"type": "string", "format": "password"}},
///      "required": ["username", "password"]}
///
/// An object with exactly these properties.
public struct InputSchema: Sendable, Hashable {
    public static let maxFields = 50

    public struct Field: Sendable, Hashable {
        public enum Kind: String, Sendable, CaseIterable { case string, number, boolean }
        /// The required form of a string; clients choose a keyboard by it.
        public enum Format: String, Sendable, CaseIterable {
            case email, password, username, phone, date, code
        }

        public let name: String
        public let kind: Kind
        public let title: String?
        public let format: Format?
        /// Length limits, in characters.
        public let minLength, maxLength: Int
        public let isRequired: Bool
        /// Whether the value is held only until the client is asked again. Such a value is never
        /// stored in a variable or persisted.
        public let isSensitive: Bool
        /// Whether the journey sets a password to the value: nobody has it yet, so programs that keep
        /// passwords suggest one instead of filling in another account's.
        var isNewPassword = false
        /// Whether the journey creates an account under the name: programs do not offer another
        /// account's passkey for it.
        var isNewName = false
    }

    /// Required fields first, in the order of `required`, then the others by name.
    public private(set) var fields: [Field]

    public init(fields: [Field]) { self.fields = fields }

    public static let nothing = InputSchema(fields: [])

    /// Marks the fields from which the journey sets a password or creates an account.
    mutating func markNew(
        passwords isPassword: (_ name: String) -> Bool, names isName: (_ name: String) -> Bool
    ) {
        for index in fields.indices {
            let field = fields[index]
            fields[index].isNewPassword = field.isSensitive && isPassword(field.name)
            fields[index].isNewName = field.format == .username && isName(field.name)
        }
    }
}

extension InputSchema.Field {
    static let standardMaxLength = 1000

    /// Returns a required string field.
    static func text(
        _ name: String, title: String, format: Format? = nil, maxLength: Int = standardMaxLength,
        isRequired: Bool = true
    ) -> Self {
        Self(
            name: name, kind: .string, title: title, format: format, minLength: isRequired ? 1 : 0,
            maxLength: maxLength, isRequired: isRequired,
            isSensitive: format == .password)
    }
}

extension InputSchema {
    static let keys = ["type", "properties", "required"]
    static let fieldKeys = ["type", "title", "format", "minLength", "maxLength", "sensitive"]

    init(_ value: JSONValue, path: String) throws(JourneyDefinitionError) {
        let reader = try SettingReader(value, path: path, known: Self.keys)
        guard !reader.has("type") || reader.value("type") == "object" else {
            throw reader.error("type", "expected “object”")
        }
        let properties = try reader.object("properties", maxCount: Self.maxFields) ?? []
        let required = try Self.required(reader, properties.map(\.name))
        var fields: [String: Field] = [:]
        for (name, value) in properties {
            let path = reader.path("properties.\(name)")
            guard SettingReader.isVariable(name) else {
                throw JourneyDefinitionError(
                    path: path,
                    reason: "expected 1 to 64 of A-Z, a-z, 0-9 and “_”, not starting with a digit"
                )
            }
            fields[name] = try Field(name, value, isRequired: required.contains(name), path: path)
        }
        let others = fields.keys.filter { !required.contains($0) }.sorted()
        self.fields = (required + others).compactMap { fields[$0] }
    }

    private static func required(_ reader: SettingReader, _ names: [String])
        throws(JourneyDefinitionError) -> [String]
    {
        var required: [String] = []
        for (path, value) in try reader.array("required", maxCount: maxFields) ?? [] {
            guard let name = value.stringValue, names.contains(name) else {
                let hint = Suggestion.text(for: value.stringValue ?? "", among: names)
                throw JourneyDefinitionError(
                    path: path, reason: "expected the name of one of the properties\(hint)")
            }
            guard !required.contains(name) else {
                throw JourneyDefinitionError(path: path, reason: "“\(name)” appears twice")
            }
            required.append(name)
        }
        return required
    }

    /// The JSON Schema that clients receive.
    public var json: JSONValue {
        let properties = fields.map { ($0.name, $0.json) }
        return [
            "type": "object", "properties": .object(Dictionary(uniqueKeysWithValues: properties)),
            "required": .array(fields.filter(\.isRequired).map { .string($0.name) }),
            "additionalProperties": false,
        ]
    }
}

extension InputSchema.Field {
    fileprivate init(_ name: String, _ value: JSONValue, isRequired: Bool, path: String)
        throws(JourneyDefinitionError)
    {
        let reader = try SettingReader(value, path: path, known: InputSchema.fieldKeys)
        self.name = name
        self.isRequired = isRequired
        kind = try reader.choice("type", default: .string)
        title = try reader.string("title", maxLength: 200)
        format = reader.has("format") ? try reader.choice("format", default: .username) : nil
        if kind != .string {
            for key in ["format", "minLength", "maxLength"] where reader.has(key) {
                throw reader.error(key, "allowed only for strings")
            }
        }
        let limit = try reader.integer("maxLength", 1...4096, default: Self.standardMaxLength)
        maxLength = limit
        minLength = try reader.integer("minLength", 0...limit, default: isRequired ? 1 : 0)
        isSensitive = try reader.flag("sensitive", default: format == .password)
        if format == .password, !isSensitive {
            throw reader.error("sensitive", "a password is always sensitive")
        }
        if isSensitive, kind != .string {
            throw reader.error("sensitive", "only strings can be sensitive")
        }
    }

    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = ["type": .string(kind.rawValue)]
        if let title { members["title"] = .string(title) }
        if let format { members["format"] = .string(format.rawValue) }
        if kind == .string {
            members["minLength"] = .number(Double(minLength))
            members["maxLength"] = .number(Double(maxLength))
        }
        if isSensitive { members["writeOnly"] = true }
        if isNewName { members["autocomplete"] = "username" }
        if isNewPassword { members["autocomplete"] = "new-password" }
        return .object(members)
    }
}
