public import MienCore

/// Translates between this server and a service with an API of its own: where each field of a
/// person goes in the request, and what the values of the response mean. Pure.
///
/// An operator writes it as JSON; docs/identity-verification.md describes the members.
public struct HTTPSourceMapping: Sendable, Hashable {
    /// The judgment of the service as a whole.
    public enum Outcome: String, WireWord {
        /// The person is the reference, in every field that has no result of its own.
        case agrees
        /// The person is not the reference.
        case differs
        /// The service is not certain.
        case unclear
        /// The service knows nobody like the person.
        case unknown
        /// The service could not judge.
        case unavailable
    }

    /// A field of a request.
    enum SentField: String, CaseIterable {
        case firstName, lastName, address, city, state, postalCode, country, dateOfBirth

        /// The value as it was typed; a country in uppercase. `nil` for an optional field that was
        /// left out.
        func value(_ query: SourceQuery) -> String? {
            let input = query.input
            return switch self {
            case .firstName: input.firstName
            case .lastName: input.lastName
            case .address: input.address
            case .city: input.city
            case .state: input.state
            case .postalCode: input.postalCode
            case .country: query.person.country.rawValue
            case .dateOfBirth: query.person.dateOfBirth.description
            }
        }
    }

    /// How a field's result is read.
    enum Scale: Sendable, Hashable {
        /// Scores, 0...1, by the value's text.
        case words([String: Double])
        /// A number from 0 to this one.
        case upTo(Double)
    }

    struct Place<Meaning: Sendable & Hashable>: Sendable, Hashable {
        let pointer: JSONPointer
        /// ``pointer`` as the operator wrote it.
        let path: String
        let meaning: Meaning
    }

    /// The name of the source in results and evidence.
    public let name: String
    let sent: [SentField: JSONPointer]
    let constants: [JSONPointer: JSONValue]
    let outcome: Place<[String: Outcome]>?
    let fields: [IdentityField: Place<Scale>]
    let marks: [SourceAnswer.Mark: Place<Set<String>>]

    /// Returns the body of the request.
    public func request(_ query: SourceQuery) -> [String: JSONValue] {
        var body: [String: JSONValue] = [:]
        for (pointer, value) in constants { pointer.set(value, in: &body) }
        for (field, pointer) in sent {
            if let value = field.value(query) { pointer.set(.string(value), in: &body) }
        }
        return body
    }

    /// Reads a response.
    ///
    /// A field without a result counts as not compared, so that a person is not verified by it. A
    /// value that the mapping does not have is never guessed.
    ///
    /// - Throws: `invalidAnswer` with the place of the value, or `unavailable` if the service says
    ///   so.
    public func answer(_ document: JSONValue) throws(IdentitySourceError) -> SourceAnswer {
        var marked: Set<SourceAnswer.Mark> = []
        for (mark, place) in marks where try Self.has(place, in: document) { marked.insert(mark) }
        let whole = try outcome(in: document)
        if whole == .unavailable { throw .unavailable }
        if whole == .unknown { return SourceAnswer(scores: nil, marks: marked) }
        var scores: [IdentityField: Double] = [:]
        for (field, place) in fields { scores[field] = try Self.score(place, in: document) }
        if whole == .agrees {
            for field in IdentityField.required where fields[field] == nil { scores[field] = 1 }
        }
        let found = FieldScores(scores)
        if whole == .differs, found.disagreeing.isEmpty {
            return SourceAnswer(scores: nil, marks: marked)
        }
        return SourceAnswer(scores: found, marks: marked, isUnclear: whole == .unclear)
    }

    /// - Returns: `nil` if the mapping reads no judgment of the whole.
    private func outcome(in document: JSONValue) throws(IdentitySourceError) -> Outcome? {
        guard let outcome else { return nil }
        guard let text = outcome.pointer.value(in: document)?.word,
            let found = outcome.meaning[text]
        else { throw .invalidAnswer(outcome.path) }
        return found
    }

    private static func score(_ place: Place<Scale>, in document: JSONValue)
        throws(IdentitySourceError) -> Double?
    {
        guard let value = place.pointer.value(in: document), !value.isNull else { return nil }
        switch place.meaning {
        case .words(let scores):
            if let word = value.word, let score = scores[word] { return score }
        case .upTo(let most):
            if let number = value.numberValue, number >= 0, number <= most { return number / most }
        }
        throw .invalidAnswer(place.path)
    }

    /// Whether the value, or one of a list of values, is one that the mapping names.
    private static func has(_ place: Place<Set<String>>, in document: JSONValue)
        throws(IdentitySourceError) -> Bool
    {
        guard let value = place.pointer.value(in: document), !value.isNull else { return false }
        var found = false
        for element in value.arrayValue ?? [value] {
            guard let word = element.word else { throw .invalidAnswer(place.path) }
            if place.meaning.contains(word) { found = true }
        }
        return found
    }
}

extension JSONValue {
    /// A text, number, or Boolean as the mapping writes it.
    fileprivate var word: String? {
        switch self {
        case .string(let text): text
        case .bool, .number: JSONText.write(self)
        case .null, .array, .object: nil
        }
    }
}
