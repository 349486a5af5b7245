import MienCore

/// Reads one object of a definition strictly: an unknown key is an error that names the path.
struct SettingReader {
    let path: String
    private let members: [String: JSONValue]

    /// - Parameter known: the keys that the object may have.
    init(_ value: JSONValue, path: String, known: [String]) throws(JourneyDefinitionError) {
        guard case .object(let members) = value else {
            throw JourneyDefinitionError(
                path: path, reason: "expected an object, not \(value.kind)")
        }
        (self.path, self.members) = (path, members)
        if let unknown = members.keys.filter({ !known.contains($0) }).min() {
            let allowed =
                known.isEmpty
                ? "no settings are allowed here"
                : "allowed: \(known.sorted().joined(separator: ", "))"
            throw JourneyDefinitionError(
                path: self.path(unknown),
                reason:
                    "unknown setting\(Suggestion.text(for: unknown, among: known)) (\(allowed))"
            )
        }
    }

    func path(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    func error(_ name: String, _ reason: String) -> JourneyDefinitionError {
        JourneyDefinitionError(path: path(name), reason: reason)
    }

    func has(_ name: String) -> Bool { members[name] != nil }

    func value(_ name: String) -> JSONValue? { members[name] }

    func required<T>(_ name: String, _ value: T?) throws(JourneyDefinitionError) -> T {
        guard let value else { throw error(name, "required but missing") }
        return value
    }

    // MARK: Plain values

    func string(_ name: String, maxLength: Int) throws(JourneyDefinitionError) -> String? {
        guard let value = members[name] else { return nil }
        guard case .string(let text) = value else {
            throw error(name, "expected a string, not \(value.kind)")
        }
        guard !text.isEmpty, text.unicodeScalars.count <= maxLength else {
            throw error(name, "expected a string of 1 to \(maxLength) characters")
        }
        return text
    }

    func integer(_ name: String, _ range: ClosedRange<Int>, default standard: Int)
        throws(JourneyDefinitionError) -> Int
    {
        try integer(name, range) ?? standard
    }

    func integer(_ name: String, _ range: ClosedRange<Int>) throws(JourneyDefinitionError) -> Int? {
        guard let value = members[name] else { return nil }
        guard let number = value.numberValue.flatMap({ Int(exactly: $0) }), range.contains(number)
        else {
            throw error(
                name, "expected an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func flag(_ name: String, default standard: Bool) throws(JourneyDefinitionError) -> Bool {
        guard let value = members[name] else { return standard }
        guard case .bool(let flag) = value else {
            throw error(name, "expected true or false, not \(value.kind)")
        }
        return flag
    }

    func choice<T: RawRepresentable & CaseIterable>(_ name: String, default standard: T)
        throws(JourneyDefinitionError) -> T
    where T.RawValue == String {
        try choice(name) ?? standard
    }

    func choice<T: RawRepresentable & CaseIterable>(_ name: String) throws(JourneyDefinitionError)
        -> T? where T.RawValue == String
    {
        try members[name].map { value throws(JourneyDefinitionError) in
            try Self.choice(value, path: path(name))
        }
    }

    /// Reads a list of strings, each a case of `T`.
    func choices<T: RawRepresentable & CaseIterable>(_ name: String) throws(JourneyDefinitionError)
        -> [T]? where T.RawValue == String
    {
        try array(name, maxCount: T.allCases.count)?.map {
            path, value throws(JourneyDefinitionError) in try Self.choice(value, path: path)
        }
    }

    private static func choice<T: RawRepresentable & CaseIterable>(
        _ value: JSONValue, path: String
    ) throws(JourneyDefinitionError) -> T
    where T.RawValue == String {
        guard let word = value.stringValue, let choice = T(rawValue: word) else {
            let words = T.allCases.map(\.rawValue)
            let hint = Suggestion.text(for: value.stringValue ?? "", among: words)
            throw JourneyDefinitionError(
                path: path, reason: "expected one of \(words.joined(separator: ", "))\(hint)")
        }
        return choice
    }

    /// Reads a machine-readable word: 1…64 of `a-z 0-9 _ . -`.
    func code(_ name: String) throws(JourneyDefinitionError) -> String? {
        guard let text = try string(name, maxLength: 64) else { return nil }
        guard
            text.utf8.allSatisfy({ byte in
                "abcdefghijklmnopqrstuvwxyz0123456789_.-".utf8.contains(byte)
            })
        else {
            throw error(name, "expected 1 to 64 of a-z, 0-9, “_”, “.” and “-”")
        }
        return text
    }

    /// Reads a list; each element comes with its path.
    func array(_ name: String, maxCount: Int) throws(JourneyDefinitionError) -> [(
        path: String, value: JSONValue
    )]? {
        guard let value = members[name] else { return nil }
        guard case .array(let values) = value else {
            throw error(name, "expected a list, not \(value.kind)")
        }
        guard values.count <= maxCount else {
            throw error(name, "expected a list of at most \(maxCount) elements")
        }
        return values.enumerated().map { ("\(path(name))[\($0.offset)]", $0.element) }
    }

    func object(_ name: String, maxCount: Int) throws(JourneyDefinitionError) -> [(
        name: String, value: JSONValue
    )]? {
        guard let value = members[name] else { return nil }
        guard case .object(let members) = value else {
            throw error(name, "expected an object, not \(value.kind)")
        }
        guard members.count <= maxCount else {
            throw error(name, "expected an object of at most \(maxCount) members")
        }
        return members.map { (name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
    }

    // MARK: Journey types

    func step(_ name: String) throws(JourneyDefinitionError) -> StepID? {
        guard let text = try string(name, maxLength: 64) else { return nil }
        guard let id = StepID(text) else { throw error(name, Self.nameRule) }
        return id
    }

    func expression(_ name: String) throws(JourneyDefinitionError) -> JourneyExpression? {
        try members[name].map { value throws(JourneyDefinitionError) in
            try Self.expression(value, path: path(name))
        }
    }

    func template(_ name: String, maxLength: Int) throws(JourneyDefinitionError)
        -> ExpressionTemplate?
    {
        guard let text = try string(name, maxLength: maxLength) else { return nil }
        do { return try ExpressionTemplate(text) } catch {
            throw self.error(name, error.description)
        }
    }

    func expressions(_ name: String, maxCount: Int) throws(JourneyDefinitionError) -> [String:
        JourneyExpression]?
    {
        guard let entries = try object(name, maxCount: maxCount) else { return nil }
        var expressions: [String: JourneyExpression] = [:]
        for (key, value) in entries {
            guard Self.isVariable(key) else { throw error("\(name).\(key)", Self.variableRule) }
            expressions[key] = try Self.expression(value, path: "\(path(name)).\(key)")
        }
        return expressions
    }

    /// Reads the name of a variable that a step may set.
    func variable(_ name: String) throws(JourneyDefinitionError) -> String? {
        guard let text = try string(name, maxLength: 64) else { return nil }
        try check(variable: text, at: name)
        return text
    }

    func check(variable: String, at name: String) throws(JourneyDefinitionError) {
        guard Self.isVariable(variable) else { throw error(name, Self.variableRule) }
        guard !Self.ownVariables.contains(variable) else {
            throw error(name, "“\(variable)” is reserved; only the engine sets it")
        }
        guard !JourneyExpression.reservedWords.contains(variable) else {
            throw error(name, "“\(variable)” is a reserved word of expressions")
        }
    }

    private static func expression(_ value: JSONValue, path: String) throws(JourneyDefinitionError)
        -> JourneyExpression
    {
        guard case .string(let source) = value else {
            throw JourneyDefinitionError(
                path: path,
                reason: "expected an expression in quotation marks, not \(value.kind)")
        }
        do { return try JourneyExpression(source) } catch {
            throw JourneyDefinitionError(path: path, reason: error.description)
        }
    }

    static func isVariable(_ text: String) -> Bool {
        StepID.isName(text) && !text.contains("-") && text.first.map { !$0.isASCIIDigit } ?? false
    }

    /// Variables that only the engine sets.
    static let ownVariables: Set<String> = ["user", "app", "journey", "parameters"]
    static let nameRule = "expected 1 to 64 of A-Z, a-z, 0-9, “_” and “-”"
    private static let variableRule =
        "expected 1 to 64 of A-Z, a-z, 0-9 and “_”, not starting with a digit"
}
