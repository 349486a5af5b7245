public import MienCore

/// A change of a resource (RFC 7644 §3.5.2), also as Entra ID and Okta write it.
public struct SCIMPatch: Sendable, Hashable {
    public static let schema = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
    /// The maximum number of operations, and of values that they look at together.
    static let maxOperations = 1000, maxSteps = 1_000_000

    enum Verb: String, Sendable, Hashable { case add, replace, remove }

    struct Operation: Sendable, Hashable {
        let verb: Verb
        let path: SCIMPatchPath?
        let value: JSONValue?
    }

    let operations: [Operation]

    public init(_ body: JSONValue) throws(SCIMError) {
        let members = body.objectValue ?? [:]
        guard
            SCIMSchema.member("schemas", of: members)?.arrayValue?.contains(.string(Self.schema))
                == true,
            let list = SCIMSchema.member("Operations", of: members)?.arrayValue
        else {
            throw SCIMError(
                400, .invalidSyntax, "A change needs the schema \(Self.schema) and Operations.")
        }
        guard (1...Self.maxOperations).contains(list.count) else {
            throw SCIMError(
                400, .invalidSyntax, "A change has 1 to \(Self.maxOperations) Operations.")
        }
        var operations: [Operation] = []
        for item in list {
            let item = item.objectValue ?? [:]
            guard
                let verb = SCIMSchema.member("op", of: item)?.stringValue.flatMap({
                    Verb(rawValue: $0.lowercased())
                })
            else {
                throw SCIMError(400, .invalidSyntax, "op must be add, replace, or remove.")
            }
            var path: SCIMPatchPath?
            if let text = SCIMSchema.member("path", of: item), text != .null {
                path = try SCIMPatchPath(text.stringValue ?? "")
            }
            let value = SCIMSchema.member("value", of: item)
            guard verb != .remove || path != nil else {
                throw SCIMError(400, .noTarget, "remove needs a path.")
            }
            guard verb == .remove || value != nil else {
                throw .value("\(verb.rawValue) needs a value.")
            }
            operations.append(Operation(verb: verb, path: path, value: value))
        }
        self.operations = operations
    }

    /// Returns a resource after the change. It may have attributes that its schema does not have:
    /// clean it.
    public func applied(to resource: [String: JSONValue], of schema: SCIMSchema) throws(SCIMError)
        -> [String: JSONValue]
    {
        var resource = resource, steps = 0
        func apply(_ verb: Verb, _ path: SCIMPatchPath, _ value: JSONValue?) throws(SCIMError) {
            let name = resource.keys.first {
                $0.lowercased() == path.attribute.name?.lowercased()
            }
            let known = name.flatMap { resource[$0]?.arrayValue } ?? []
            steps += known.count + (value?.arrayValue?.count ?? 1)
            if let filter = path.filter, filter.soleValue == nil {
                // IDs are short and compared as they are; other texts are folded for each comparison.
                let size =
                    name == "members"
                    ? known.count : JSONText.write(.array(known)).utf8.count / 16
                steps += size * filter.comparisons
            }
            guard steps <= Self.maxSteps else {
                throw SCIMError(
                    400, .tooMany, "The operations look at too many values. Send fewer at once.")
            }
            try Self.apply(verb, path, value, to: &resource, schema)
        }
        for operation in operations {
            if let path = operation.path {
                try apply(operation.verb, path, operation.value)
                continue
            }
            guard let members = operation.value?.objectValue else {
                throw .value("Without a path, the value must be an object.")
            }
            // Some clients have paths as names of members.
            for (name, value) in members.sorted(by: { $0.key < $1.key })
            where !["schemas", "id", "meta"].contains(name.lowercased()) {
                if let extra = SCIMSchema.all.first(where: {
                    $0.id.lowercased() == name.lowercased()
                }), let inner = value.objectValue {
                    for (sub, value) in inner.sorted(by: { $0.key < $1.key }) {
                        try apply(operation.verb, SCIMPatchPath("\(extra.id):\(sub)"), value)
                    }
                } else {
                    try apply(operation.verb, SCIMPatchPath(name), value)
                }
            }
        }
        return resource
    }

    private static func apply(
        _ verb: Verb, _ path: SCIMPatchPath, _ value: JSONValue?,
        to resource: inout [String: JSONValue], _ schema: SCIMSchema
    ) throws(SCIMError) {
        guard let container = path.attribute.container else {
            return try change(verb, path, value, in: &resource, schema.attributes)
        }
        guard schema == .user else { return }
        var extra = resource[container]?.objectValue ?? [:]
        if path.attribute.name == nil {
            if verb == .remove {
                extra = [:]
            } else {
                extra.merge(value?.objectValue ?? [:]) { $1 }
            }
        } else {
            try change(verb, path, value, in: &extra, SCIMSchema.enterprise.attributes)
        }
        resource[container] = extra.isEmpty ? nil : .object(extra)
    }

    private static func change(
        _ verb: Verb, _ path: SCIMPatchPath, _ value: JSONValue?,
        in members: inout [String: JSONValue], _ attributes: [SCIMAttribute]
    ) throws(SCIMError) {
        guard let word = path.attribute.name else { return }
        if ["id", "meta", "schemas"].contains(word.lowercased()) {
            throw SCIMError(400, .mutability, "\(word.lowercased()) cannot be changed.")
        }
        // Attributes that the schema does not have are ignored, as in a resource.
        guard
            let attribute = (attributes + [SCIMSchema.externalID]).first(where: {
                $0.name.lowercased() == word.lowercased()
            })
        else { return }
        guard attribute.mutability != .readOnly else {
            throw SCIMError(400, .mutability, "\(attribute.name) is read only.")
        }
        let name = attribute.name
        // A suspension does not end because a change has no word about it.
        if name == "active", verb != .remove, value == .null { return }
        guard value.map(isShort) ?? true else {
            throw .value("A text may have at most \(SCIMAttribute.maxTextBytes) bytes.")
        }
        if attribute.isMany {
            var values = members[name]?.arrayValue ?? []
            try changeMany(verb, path, value, of: attribute, &values)
            guard name == "members" || values.count <= 100 else {
                throw .value("\(name) may have at most \(SCIMAttribute.maxValues) values.")
            }
            members[name] = values.isEmpty ? nil : .array(values)
        } else if let sub = path.attribute.sub {
            var inner = members[name]?.objectValue ?? [:]
            set(sub, of: &inner, to: verb == .remove ? nil : value, attribute)
            members[name] = inner.isEmpty ? nil : .object(inner)
        } else if verb == .remove {
            guard !attribute.isRequired else {
                throw SCIMError(400, .mutability, "\(name) is required and cannot be removed.")
            }
            members[name] = nil
        } else if case .complex = attribute.form, let new = value?.objectValue {
            var inner = members[name]?.objectValue ?? [:]
            for (sub, value) in new { set(sub, of: &inner, to: value, attribute) }
            members[name] = inner.isEmpty ? nil : .object(inner)
        } else {
            members[name] = value
        }
    }

    /// Whether no text in a value is longer than an attribute can be.
    private static func isShort(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): text.utf8.count <= SCIMAttribute.maxTextBytes
        case .array(let items): items.allSatisfy(isShort)
        case .object(let members): members.values.allSatisfy(isShort)
        default: true
        }
    }

    private static func set(
        _ sub: String, of members: inout [String: JSONValue], to value: JSONValue?,
        _ attribute: SCIMAttribute
    ) {
        let name =
            attribute.subAttributes.first { $0.name.lowercased() == sub.lowercased() }?.name ?? sub
        members[name] = value
    }

    private static func changeMany(
        _ verb: Verb, _ path: SCIMPatchPath, _ value: JSONValue?, of attribute: SCIMAttribute,
        _ values: inout [JSONValue]
    ) throws(SCIMError) {
        let new = value.map { $0.arrayValue ?? [$0] } ?? []
        if path.filter == nil, path.attribute.sub == nil {
            switch verb {
            case .add:
                var known = Set(values.map { key($0) })
                for item in new where known.insert(key(item)).inserted { values.append(item) }
            case .replace: values = new
            case .remove:
                // Entra ID names the values to remove beside the path.
                let gone = Set(new.map { key($0) })
                values =
                    value == nil || value == .null
                    ? [] : values.filter { !gone.contains(key($0)) }
            }
            if verb != .remove { onePrimary(&values, among: new) }
            return
        }
        let filter = path.filter, found = indices(of: values, that: filter, attribute)
        switch verb {
        case .remove:
            guard let sub = path.attribute.sub else {
                for index in found.reversed() { values.remove(at: index) }
                return
            }
            for index in found {
                var inner = values[index].objectValue ?? [:]
                set(sub, of: &inner, to: nil, attribute)
                values[index] = .object(inner)
            }
        case .add, .replace:
            guard !found.isEmpty else {
                var inner: [String: JSONValue] = [:]
                if case .compare(let key, .eq, let literal) = filter, verb == .add,
                    let name = key.name, key.sub == nil
                {
                    set(name, of: &inner, to: literal.value, attribute)
                } else if filter != nil {
                    throw SCIMError(
                        400, .noTarget, "No value of \(attribute.name) fulfills the path's filter.")
                }
                merge(path.attribute.sub, value, into: &inner, attribute)
                values.append(.object(inner))
                return
            }
            for index in found {
                var inner = values[index].objectValue ?? [:]
                merge(path.attribute.sub, value, into: &inner, attribute)
                values[index] = .object(inner)
            }
        }
    }

    private static func merge(
        _ sub: String?, _ value: JSONValue?, into members: inout [String: JSONValue],
        _ attribute: SCIMAttribute
    ) {
        if let sub { return set(sub, of: &members, to: value, attribute) }
        for (name, value) in value?.objectValue ?? [:] {
            set(name, of: &members, to: value, attribute)
        }
    }

    /// The values that fulfill a path's filter; without one, all.
    private static func indices(
        of values: [JSONValue], that filter: SCIMFilter?, _ attribute: SCIMAttribute
    ) -> [Int] {
        guard let filter else { return Array(values.indices) }
        // The members of a group are found by their IDs, and there may be thousands.
        if attribute.name == "members", let id = filter.soleValue {
            return values.indices.filter { values[$0]["value"]?.stringValue == id }
        }
        return values.indices.filter {
            filter.matches(values[$0], isExact: attribute.name == "members")
        }
    }

    /// Values are the same by their `value`, and with it their `type`. A member of a group is the
    /// same by its ID.
    private static func key(_ value: JSONValue) -> [JSONValue?] {
        guard let members = value.objectValue else { return [value, nil] }
        let type = SCIMSchema.member("type", of: members)
        return [SCIMSchema.member("value", of: members), type == "User" ? nil : type]
    }

    /// A new primary value takes the place of the old one (RFC 7644 §3.5.2).
    private static func onePrimary(_ values: inout [JSONValue], among new: [JSONValue]) {
        guard let primary = new.last(where: { $0["primary"] == true }) else { return }
        let chosen = key(primary)
        for index in values.indices where key(values[index]) != chosen {
            guard var inner = values[index].objectValue, inner["primary"] == true else { continue }
            inner["primary"] = false
            values[index] = .object(inner)
        }
    }
}

/// The target of an operation: `active`, `name.givenName`, `emails[type eq "work"].value`.
struct SCIMPatchPath: Sendable, Hashable {
    let attribute: SCIMAttributePath
    let filter: SCIMFilter?

    init(_ text: String) throws(SCIMError) {
        let wrong = SCIMError(
            400, .invalidPath,
            "A path is the name of an attribute, such as active, name.givenName, or emails[type eq \"work\"].value."
        )
        guard text.utf8.count <= SCIMFilter.maxBytes else { throw wrong }
        guard let open = text.firstIndex(of: "[") else {
            guard let path = SCIMAttributePath(text) else { throw wrong }
            (attribute, filter) = (path, nil)
            return
        }
        guard let close = text.lastIndex(of: "]"), open < close,
            let path = SCIMAttributePath(text[..<open]), path.sub == nil
        else { throw wrong }
        let rest = text[text.index(after: close)...]
        guard rest.isEmpty || rest.first == "." && rest.count > 1 else { throw wrong }
        do throws(SCIMError) {
            filter = try SCIMFilter(String(text[text.index(after: open)..<close]))
        } catch { throw SCIMError(400, .invalidPath, error.detail) }
        attribute = SCIMAttributePath(
            container: path.container, name: path.name,
            sub: rest.isEmpty ? nil : String(rest.dropFirst()))
    }
}
