internal import MienCore

/// The reason a text is not a mapping, with the path of the error.
public struct HTTPSourceMappingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Such as `fields.firstName.values`.
    public let path: String
    public let reason: String

    public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

extension HTTPSourceMapping {
    /// The maximum size of the JSON, in bytes.
    public static let maxBytes = 64 * 1024

    /// Parses a mapping strictly: an unknown key is an error, as is a mapping under which nobody
    /// could be verified.
    ///
    /// - Throws: ``HTTPSourceMappingError`` for the first error.
    public init(json bytes: [UInt8]) throws(HTTPSourceMappingError) {
        let value: JSONValue
        do throws(JSONTextError) {
            value = try JSONText.parse(bytes, limits: .init(maxBytes: Self.maxBytes))
        } catch { throw .init(path: "", reason: "\(error)") }
        let members = try Self.object(
            value, "", ["name", "send", "constants", "outcome", "fields", "marks"])
        guard let name = members["name"]?.stringValue, (1...64).contains(name.utf8.count),
            name.isPrintable, !["registry", "simulator"].contains(name)
        else {
            throw .init(
                path: "name",
                reason:
                    "expected a text of 1 to 64 bytes other than registry and simulator; it names the source in results"
            )
        }
        self.name = name
        (sent, constants) = try Self.request(members)
        outcome = try members["outcome"].map(Self.outcome)
        fields = try Self.fields(members["fields"] ?? [:])
        marks = try Self.marks(members["marks"] ?? [:])
        let missing = IdentityField.required.filter { fields[$0] == nil }.map(\.rawValue)
        guard outcome != nil || missing.isEmpty else {
            throw .init(
                path: "fields",
                reason:
                    "without outcome, a result of each required field is needed; missing: \(missing.joined(separator: ", "))"
            )
        }
        if let outcome, !outcome.meaning.values.contains(.agrees) {
            throw .init(
                path: "outcome.values", reason: "no value means agrees: nobody could be verified")
        }
    }

    private static func request(_ members: [String: JSONValue]) throws(HTTPSourceMappingError) -> (
        [SentField: JSONPointer], [JSONPointer: JSONValue]
    ) {
        var places: [(path: String, pointer: JSONPointer)] = []
        var sent: [SentField: JSONPointer] = [:]
        let fields = try object(
            members["send"] ?? .null, "send", SentField.allCases.map(\.rawValue))
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
            guard let field = SentField(rawValue: key) else { continue }
            let found = try pointer(value, "send.\(key)").pointer
            sent[field] = found
            places.append(("send.\(key)", found))
        }
        guard !sent.isEmpty else {
            throw .init(path: "send", reason: "names no field; the service would judge nobody")
        }
        var constants: [JSONPointer: JSONValue] = [:]
        let given = try object(members["constants"] ?? [:], "constants", nil)
        for (key, value) in given.sorted(by: { $0.key < $1.key }) {
            guard let found = JSONPointer(key) else {
                throw .init(path: "constants.\(key)", reason: notAPointer)
            }
            constants[found] = value
            places.append(("constants.\(key)", found))
        }
        for (index, place) in places.enumerated() {
            if let other = places[..<index].first(where: { $0.pointer.overlaps(place.pointer) }) {
                throw .init(
                    path: place.path, reason: "is the same place as \(other.path), or part of it")
            }
        }
        return (sent, constants)
    }

    private static func outcome(_ value: JSONValue) throws(HTTPSourceMappingError) -> Place<
        [String: Outcome]
    > {
        let members = try object(value, "outcome", ["at", "values"])
        let (path, pointer) = try pointer(members["at"], "outcome.at")
        var words: [String: Outcome] = [:]
        for (word, meaning) in try object(members["values"] ?? .null, "outcome.values", nil) {
            guard let meaning = meaning.stringValue.flatMap(Outcome.init(rawValue:)) else {
                throw .init(
                    path: "outcome.values.\(word)", reason: "expected \(Outcome.choices)")
            }
            words[word] = meaning
        }
        return Place(pointer: pointer, path: path, meaning: words)
    }

    private static func fields(_ value: JSONValue) throws(HTTPSourceMappingError)
        -> [IdentityField: Place<Scale>]
    {
        var fields: [IdentityField: Place<Scale>] = [:]
        let given = try object(value, "fields", IdentityField.allCases.map(\.rawValue))
        for (key, value) in given.sorted(by: { $0.key < $1.key }) {
            guard let field = IdentityField(rawValue: key) else { continue }
            let members = try object(value, "fields.\(key)", ["at", "values", "of"])
            let (path, pointer) = try pointer(members["at"], "fields.\(key).at")
            fields[field] = Place(
                pointer: pointer, path: path, meaning: try scale(members, "fields.\(key)"))
        }
        return fields
    }

    private static func scale(_ members: [String: JSONValue], _ path: String)
        throws(HTTPSourceMappingError) -> Scale
    {
        switch (members["values"], members["of"]) {
        case (nil, .number(let most)?):
            guard most > 0 else { throw .init(path: "\(path).of", reason: "must be above 0") }
            return .upTo(most)
        case (let values?, nil):
            var scores: [String: Double] = [:]
            for (word, score) in try object(values, "\(path).values", nil) {
                guard let score = score.numberValue, score >= 0, score <= 1 else {
                    throw .init(
                        path: "\(path).values.\(word)", reason: "expected a number from 0 to 1")
                }
                scores[word] = score
            }
            guard !scores.isEmpty else {
                throw .init(path: "\(path).values", reason: "names no value")
            }
            return .words(scores)
        default:
            throw .init(
                path: path,
                reason:
                    "expected either values, with a score for each, or of, the highest number")
        }
    }

    private static func marks(_ value: JSONValue) throws(HTTPSourceMappingError)
        -> [SourceAnswer.Mark: Place<Set<String>>]
    {
        var marks: [SourceAnswer.Mark: Place<Set<String>>] = [:]
        let given = try object(value, "marks", SourceAnswer.Mark.allCases.map(\.rawValue))
        for (key, value) in given.sorted(by: { $0.key < $1.key }) {
            guard let mark = SourceAnswer.Mark(rawValue: key) else { continue }
            let members = try object(value, "marks.\(key)", ["at", "values"])
            let (path, pointer) = try pointer(members["at"], "marks.\(key).at")
            let words = (members["values"]?.arrayValue ?? []).map(\.stringValue)
            guard !words.isEmpty, !words.contains(nil) else {
                throw .init(path: "marks.\(key).values", reason: "expected a list of texts")
            }
            marks[mark] = Place(
                pointer: pointer, path: path, meaning: Set(words.compactMap { $0 }))
        }
        return marks
    }

    // MARK: Parts

    private static let notAPointer =
        "expected a JSON pointer such as /person/name, of at most \(JSONPointer.maxBytes) bytes and \(JSONPointer.maxDepth) levels"

    private static func pointer(_ value: JSONValue?, _ path: String)
        throws(HTTPSourceMappingError) -> (text: String, pointer: JSONPointer)
    {
        guard let text = value?.stringValue, let pointer = JSONPointer(text) else {
            throw .init(path: path, reason: notAPointer)
        }
        return (text, pointer)
    }

    /// - Parameter known: The allowed keys; `nil` for any.
    private static func object(_ value: JSONValue, _ path: String, _ known: [String]?)
        throws(HTTPSourceMappingError) -> [String: JSONValue]
    {
        guard case .object(let members) = value else {
            throw .init(path: path, reason: "expected an object, not \(value.kind)")
        }
        if let known, let unknown = members.keys.filter({ !known.contains($0) }).min() {
            throw .init(
                path: path.isEmpty ? unknown : "\(path).\(unknown)",
                reason:
                    "unknown key\(Suggestion.text(for: unknown, among: known)) (allowed: \(known.joined(separator: ", ")))"
            )
        }
        return members
    }
}
