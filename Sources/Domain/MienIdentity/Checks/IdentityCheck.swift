public import MienCore

/// A check of an identity, by its name.
public struct IdentityCheckName: RawRepresentable, Sendable, Hashable, Comparable, Codable {
    public let rawValue: String

    /// - Returns: `nil` unless ``all`` contains the name.
    public init?(rawValue: String) {
        guard Self.reasons[rawValue] != nil else { return nil }
        self.rawValue = rawValue
    }

    private init(known: String) { rawValue = known }

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// First and last name agree with the source.
    public static let name = Self(known: "name")
    public static let dateOfBirth = Self(known: "date_of_birth")
    public static let address = Self(known: "address")
    /// The person is younger than ``AgeRule/implausibleYears``.
    public static let agePlausible = Self(known: "age_plausible")
    /// No source knows of the person's death.
    public static let notDeceased = Self(known: "not_deceased")
    /// No source reports fraud with the data.
    public static let notReportedFraud = Self(known: "not_reported_fraud")
    /// The document is of the stated type and country.
    public static let documentType = Self(known: "document_type")
    public static let documentReadable = Self(known: "document_readable")
    /// Check digits, and fields that are printed twice, agree.
    public static let documentConsistent = Self(known: "document_consistent")
    public static let documentNotExpired = Self(known: "document_not_expired")
    /// The document's data agrees with the personal data.
    public static let documentMatchesData = Self(known: "document_matches_data")
    /// The document has color, which a black-and-white copy lacks.
    public static let documentNotPhotocopy = Self(known: "document_not_photocopy")
    /// The document's picture has no regular pattern like that of a screen or of a halftone print.
    public static let documentNotScreen = Self(known: "document_not_screen")
    /// Reflections move across the document while it is tilted.
    public static let documentLive = Self(known: "document_live")
    /// The face is that of the document's portrait.
    public static let faceMatch = Self(known: "face_match")
    /// The face was captured live.
    public static let live = Self(known: "live")

    private static let reasons: [String: String] = [
        "name": "First and last name agree with the source.",
        "date_of_birth": "The date of birth is the source's.",
        "address": "Address and postal code agree with the source.",
        "age_plausible": "The person is younger than 121 years.",
        "not_deceased": "No source knows of the person's death.",
        "not_reported_fraud": "No source reports fraud with the data.",
        "document_type": "The document is of the stated type and country.",
        "document_readable": "The pictures could be read.",
        "document_consistent": "Check digits, and fields printed twice, agree.",
        "document_not_expired": "The document has not expired.",
        "document_matches_data": "The document's data agrees with the personal data.",
        "document_not_photocopy": "The document has color, which a black-and-white copy lacks.",
        "document_not_screen":
            "The document's picture has no regular pattern like that of a screen or of a halftone print.",
        "document_live": "Reflections move across the document while it is tilted.",
        "face_match": "The face is that of the document's portrait.",
        "live": "The face was captured live.",
    ]

    /// All names, sorted.
    public static let all: [IdentityCheckName] = reasons.keys.sorted().map(Self.init(known:))

    /// The condition under which the check passes.
    public var meaning: String { Self.reasons[rawValue] ?? "" }
}

/// The result of a check.
public enum IdentityCheckResult: String, WireWord {
    case passed, failed
    /// Attempted without a clear result.
    case inconclusive
    /// Not attempted, though it applies.
    case notChecked = "not_checked"
}

/// The results of an attempt's checks. Checks that do not apply are absent.
public struct IdentityChecks: Sendable, Hashable, Codable {
    public private(set) var results: [IdentityCheckName: IdentityCheckResult]

    public init(_ results: [IdentityCheckName: IdentityCheckResult] = [:]) {
        self.results = results
    }

    public subscript(name: IdentityCheckName) -> IdentityCheckResult? {
        get { results[name] }
        set { results[name] = newValue }
    }

    /// Adds the results of another part of the verification. Where both have a check, the worse
    /// result remains.
    public mutating func add(_ other: IdentityChecks) {
        results.merge(other.results) { $0.isWorse(than: $1) ? $0 : $1 }
    }

    public init(from decoder: any Decoder) throws {
        let plain = try decoder.singleValueContainer().decode([String: IdentityCheckResult].self)
        var results: [IdentityCheckName: IdentityCheckResult] = [:]
        for (text, result) in plain {
            guard let name = IdentityCheckName(rawValue: text) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "an unknown check"))
            }
            results[name] = result
        }
        self.results = results
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(
            Dictionary(uniqueKeysWithValues: results.map { ($0.key.rawValue, $0.value) }))
    }
}

extension IdentityCheckResult {
    /// Worst last. A check that was not made is worse than an inconclusive one.
    private var rank: Int {
        switch self {
        case .passed: 0
        case .inconclusive: 1
        case .notChecked: 2
        case .failed: 3
        }
    }

    func isWorse(than other: Self) -> Bool { rank > other.rank }
}
