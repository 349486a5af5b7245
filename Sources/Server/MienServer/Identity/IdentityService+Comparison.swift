internal import Foundation
internal import MienAPI
internal import MienCore
internal import MienIdentity

/// Stores what reviewers see beside the pictures with what the user sent, under the attempt's key. It is
/// erased with it.
extension ReviewComparison {
    /// The member of an attempt's content that has the comparison.
    private static let member = "comparison"

    /// - Returns: `nil` for the content of an attempt that compared nothing.
    init?(content: JSONValue) {
        guard let value = content[Self.member],
            let found = try? JSONDecoder().decode(Self.self, from: Data(JSONText.write(value).utf8))
        else { return nil }
        self = found
    }

    /// An attempt's content with the comparison.
    ///
    /// - Returns: `nil` if there is nothing to add, or the content was erased.
    func added(to content: Sensitive<[UInt8]>?) -> Sensitive<[UInt8]>? {
        guard !sources.isEmpty || !reasons.isEmpty,
            var members = content.flatMap({ $0.use { try? JSONText.parse($0) } })?.objectValue
        else { return nil }
        members[Self.member] = json
        return Sensitive(Array(JSONText.write(.object(members)).utf8))
    }

    /// Adds the comparison to the members of a content.
    func add(to members: inout [String: JSONValue]) {
        if !sources.isEmpty || !reasons.isEmpty { members[Self.member] = json }
    }

    private var json: JSONValue? {
        try? JSONText.parse([UInt8](try JSONEncoder().encode(self)))
    }
}

extension ReviewSource {
    /// The name of what the person stated.
    static let input = "input"
    /// The name of the personal data that was taken from a document.
    static let document = "document"

    init(_ input: PersonalDataInput, name: String = ReviewSource.input) {
        var fields = [
            "given_names": input.firstName, "family_name": input.lastName,
            "birth": input.dateOfBirth, "address": input.address,
            "postal_code": input.postalCode, "country": input.country,
        ]
        fields["city"] = input.city
        fields["state"] = input.state
        self.init(name: name, fields: fields)
    }
}

extension SourceAnswer {
    /// The fields that disagree with the source, each with its score.
    ///
    /// - Parameter input: The name of what was compared with the source.
    func reasons(_ source: String, of input: String) -> [ReviewReason] {
        guard let scores else { return [] }
        let fields = Set(scores.disagreeing).union(scores.alike)
        return fields.sorted { $0.rawValue < $1.rawValue }.map { field in
            ReviewReason(
                check: field.check.rawValue, detail: field.reviewWord,
                result: scores.alike.contains(field) ? "inconclusive" : "failed",
                sources: [input, source],
                score: ((scores.scores[field] ?? 0) * 100).rounded() / 100,
                minimum: field.minimum)
        }
    }
}

extension IdentityField {
    /// The field's name among those of documents.
    var reviewWord: String {
        switch self {
        case .firstName: "given_names"
        case .lastName: "family_name"
        case .dateOfBirth: "birth"
        case .postalCode: "postal_code"
        case .address, .city, .state: rawValue
        }
    }

    fileprivate var check: IdentityCheckName {
        switch self {
        case .firstName, .lastName: .name
        case .dateOfBirth: .dateOfBirth
        case .address, .postalCode, .city, .state: .address
        }
    }
}
