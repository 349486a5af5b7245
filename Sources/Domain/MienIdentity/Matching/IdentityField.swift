/// A field of personal data that a source compares.
public enum IdentityField: String, Sendable, Hashable, CaseIterable, Codable {
    case firstName, lastName, dateOfBirth, address, postalCode, city, state

    /// The field's share of the total, in points. A field that one side lacks is left out of the
    /// total and of the sum of points.
    ///
    /// The points follow how many people share a value: a date of birth narrows a population of a
    /// million to about thirty, a last name to hundreds, a city to thousands.
    public var points: Int {
        switch self {
        case .dateOfBirth: 25
        case .lastName, .address: 20
        case .firstName: 15
        case .postalCode: 12
        case .city: 5
        case .state: 3
        }
    }

    /// The least score at which the field agrees, 0...1. No other field makes up for less.
    ///
    /// Last names tolerate one typing mistake in five letters, addresses three in ten. First names
    /// tolerate none, but are compared by a person if they are as close. A city that
    /// disagrees may be a suburb of the other, so it only lowers the total.
    public var minimum: Double {
        switch self {
        case .dateOfBirth, .postalCode: 1
        case .lastName, .firstName: 0.8
        case .address: 0.7
        case .city, .state: 0
        }
    }
}

/// The agreement of each compared field, 0...1.
public struct FieldScores: Sendable, Hashable, CustomReflectable {
    public let scores: [IdentityField: Double]
    /// The names that may be those of one person or of two, such as twins, whatever their score.
    public let alike: Set<IdentityField>

    /// - Parameter scores: each 0...1.
    public init(_ scores: [IdentityField: Double], alike: Set<IdentityField> = []) {
        self.scores = scores.mapValues { min(max($0, 0), 1) }
        self.alike = alike
    }

    /// The fields below their ``IdentityField/minimum``, in the order of declaration.
    public var disagreeing: [IdentityField] {
        IdentityField.allCases.filter { field in
            scores[field].map { $0 < field.minimum } ?? false
        }
    }

    /// The sum of the scores by their points, 0...1.
    public var total: Double {
        let points = scores.keys.reduce(0) { $0 + $1.points }
        guard points > 0 else { return 0 }
        return scores.reduce(0) { $0 + $1.value * Double($1.key.points) } / Double(points)
    }

    /// Whether the data is that of the reference: every field reaches its minimum, the total
    /// ``minimumTotal``, and no name is merely alike.
    public var agrees: Bool {
        disagreeing.isEmpty && alike.isEmpty && total >= Self.minimumTotal
            && IdentityField.required.allSatisfy { scores[$0] != nil }
    }

    /// The least total of a match.
    public static let minimumTotal = 0.9

    /// How close together scores are says something about the person, so they are not shown.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension IdentityField {
    /// The fields without which nothing is a match.
    public static let required: [IdentityField] = [
        .firstName, .lastName, .dateOfBirth, .address, .postalCode,
    ]
}
