public import MienCore

/// An attribute of a resource of SCIM (RFC 7643 §7).
public struct SCIMAttribute: Sendable, Hashable {
    public enum Form: Sendable, Hashable {
        case string, boolean, reference
        case complex([SCIMAttribute])
    }

    public enum Mutability: String, Sendable, Hashable { case readWrite, readOnly, immutable }

    public let name: String
    public let form: Form
    public var isMany = false
    public var isRequired = false
    public var isCaseExact = false
    public var mutability = Mutability.readWrite
    public var isUnique = false
    public var returned = "default"
    /// The values that the service knows; empty for any.
    public var canonical: [String] = []
    public var description: String

    /// The maximum length of a text in UTF-8 bytes.
    static let maxTextBytes = 1024
    /// The maximum number of values of an attribute, except the members of a group.
    static let maxValues = 20

    init(
        _ name: String, _ form: Form, _ description: String, many: Bool = false,
        required: Bool = false, caseExact: Bool = false, mutability: Mutability = .readWrite,
        unique: Bool = false
    ) {
        (self.name, self.form, self.description) = (name, form, description)
        (isMany, isRequired, isCaseExact) = (many, required, caseExact)
        (self.mutability, isUnique) = (mutability, unique)
    }

    /// A text.
    init(
        _ name: String, _ description: String, required: Bool = false, caseExact: Bool = false,
        mutability: Mutability = .readWrite, unique: Bool = false, canonical: [String] = []
    ) {
        self.init(
            name, .string, description, required: required, caseExact: caseExact,
            mutability: mutability, unique: unique)
        self.canonical = canonical
    }

    var subAttributes: [SCIMAttribute] {
        if case .complex(let attributes) = form { attributes } else { [] }
    }

    /// Returns a value with the attributes that this one has, in their spelling; `nil` for none.
    ///
    /// - Throws: ``SCIMError`` for a value of another type.
    func clean(_ value: JSONValue, maxValues: Int = maxValues) throws(SCIMError) -> JSONValue? {
        guard value != .null else { return nil }
        guard isMany else { return try cleanOne(value) }
        // Some clients send the only value alone.
        let values = value.arrayValue ?? [value]
        guard values.count <= maxValues else {
            throw .value("\(name) may have at most \(maxValues) values.")
        }
        var clean: [JSONValue] = []
        for value in values { if let one = try cleanOne(value) { clean.append(one) } }
        return clean.isEmpty ? nil : .array(clean)
    }

    private func cleanOne(_ value: JSONValue) throws(SCIMError) -> JSONValue? {
        switch form {
        case .string, .reference:
            guard let text = value.stringValue else { throw .value("\(name) must be a string.") }
            guard text.utf8.count <= Self.maxTextBytes, !text.utf8.contains(0) else {
                throw .value("\(name) may have at most \(Self.maxTextBytes) bytes, and no NUL.")
            }
            return text.isEmpty ? nil : value
        case .boolean:
            if case .bool = value { return value }
            // Entra ID sends Booleans as text.
            switch value.stringValue?.lowercased() {
            case "true": return true
            case "false": return false
            default: throw .value("\(name) must be true or false.")
            }
        case .complex(let attributes):
            // A text stands for the value, as some clients write it.
            guard
                let members = value.objectValue ?? value.stringValue.map({ ["value": .string($0)] })
            else { throw .value("\(name) must be an object.") }
            let clean = try Self.clean(members, attributes)
            return clean.isEmpty ? nil : .object(clean)
        }
    }

    /// Returns the members that `attributes` have and a client may write.
    static func clean(
        _ members: [String: JSONValue], _ attributes: [SCIMAttribute], maxValues: Int = maxValues
    ) throws(SCIMError) -> [String: JSONValue] {
        var clean: [String: JSONValue] = [:]
        for (name, value) in members {
            let word = name.lowercased()
            guard
                let attribute = attributes.first(where: { $0.name.lowercased() == word }),
                attribute.mutability != .readOnly
            else { continue }
            guard clean[attribute.name] == nil else {
                throw SCIMError(400, .invalidSyntax, "\(attribute.name) is named twice.")
            }
            clean[attribute.name] = try attribute.clean(value, maxValues: maxValues)
        }
        return clean
    }

    /// The description that `/Schemas` gives.
    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name), "multiValued": .bool(isMany), "required": .bool(isRequired),
            "description": .string(description), "mutability": .string(mutability.rawValue),
            "returned": .string(returned), "uniqueness": isUnique ? "server" : "none",
        ]
        if !canonical.isEmpty {
            members["canonicalValues"] = .array(canonical.map { .string($0) })
        }
        switch form {
        case .string: members["type"] = "string"
        case .boolean: members["type"] = "boolean"
        case .reference:
            members["type"] = "reference"
            members["referenceTypes"] = ["User"]
        case .complex(let attributes):
            members["type"] = "complex"
            members["subAttributes"] = .array(attributes.map(\.json))
        }
        if form == .string || form == .reference { members["caseExact"] = .bool(isCaseExact) }
        return .object(members)
    }
}
