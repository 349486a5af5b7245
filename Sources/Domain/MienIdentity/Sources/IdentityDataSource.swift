/// A trusted source of personal data: a reference registry, or a service.
public protocol IdentityDataSource: Sendable {
    /// The name that results and evidence contain, 1 to 64 characters.
    var name: String { get }
    /// Whether the source invents its answers. Results then say so.
    var isSimulated: Bool { get }

    /// Compares a person with the source.
    ///
    /// - Throws: ``IdentitySourceError`` if the source could not answer. The attempt is then not
    ///   counted.
    func compare(_ query: SourceQuery) async throws(IdentitySourceError) -> SourceAnswer
}

/// The answer of a source.
public struct SourceAnswer: Sendable, Hashable, CustomReflectable {
    /// The source's mark on a person.
    public enum Mark: String, Sendable, Hashable, CaseIterable, Codable { case deceased, fraud }

    /// The agreement with the closest reference; `nil` if the source knows nobody like the person.
    public let scores: FieldScores?
    /// The marks on references with the same names and date of birth.
    public let marks: Set<Mark>
    /// The source is not certain, however well the fields agree.
    public let isUnclear: Bool

    public init(scores: FieldScores?, marks: Set<Mark> = [], isUnclear: Bool = false) {
        (self.scores, self.marks, self.isUnclear) = (scores, marks, isUnclear)
    }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The reason a source did not answer. Contains no personal data.
public enum IdentitySourceError: Error, Sendable, Hashable, CustomStringConvertible {
    case unavailable
    case timedOut
    /// The status of a response other than a success.
    case status(Int)
    case tooLarge
    /// The answer is not JSON within the limits, or has an unexpected value at this place.
    case invalidAnswer(String?)
    /// The host is not listed, or its address is not public.
    case notAllowed
    /// The source was not asked, because it failed several times in a row.
    case paused

    public var description: String {
        switch self {
        case .unavailable: "not available"
        case .timedOut: "no complete answer in time"
        case .status(let status): "status \(status)"
        case .tooLarge: "the answer is too large"
        case .invalidAnswer(let path):
            path.map { "unexpected value at \($0)" } ?? "the answer is not valid JSON"
        case .notAllowed: "the address is not public; see identity.http.allow_private"
        case .paused: "not asked, because it failed several times in a row"
        }
    }
}

/// A person of a registry.
public struct RegistryPerson: Sendable, Hashable, CustomReflectable {
    public let data: PersonalData
    public let marks: Set<SourceAnswer.Mark>

    public init(_ data: PersonalData, marks: Set<SourceAnswer.Mark> = []) {
        (self.data, self.marks) = (data, marks)
    }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension SourceAnswer {
    /// The answer of a registry with these candidates, which share one of the person's
    /// ``PersonalData/blockingTexts``.
    public init(comparing person: PersonalData, with candidates: [RegistryPerson]) {
        scores = RegistryMatch.best(of: candidates.map(\.data), for: person)?.scores
        isUnclear = false
        marks = candidates.reduce(into: []) { marks, candidate in
            if !candidate.marks.isEmpty, person.scores(against: candidate.data).isSamePerson {
                marks.formUnion(candidate.marks)
            }
        }
    }

    /// The answer as checks. Fields that reach their minimum pass, but if all do and the total still
    /// is too low, they are inconclusive.
    public var checks: IdentityChecks {
        let wrong = scores.map(\.disagreeing) ?? IdentityField.allCases
        let isUnclear = wrong.isEmpty && (isUnclear || scores?.agrees != true)
        func result(_ fields: IdentityField...) -> IdentityCheckResult {
            wrong.contains(where: fields.contains)
                ? .failed : isUnclear ? .inconclusive : .passed
        }
        return IdentityChecks([
            .name: result(.firstName, .lastName), .dateOfBirth: result(.dateOfBirth),
            .address: result(.address, .postalCode),
            .notDeceased: marks.contains(.deceased) ? .failed : .passed,
            .notReportedFraud: marks.contains(.fraud) ? .failed : .passed,
        ])
    }

    /// The finding that forbids further attempts. Fraud outweighs a death.
    public var block: VerificationBlock? {
        marks.contains(.fraud) ? .fraud : marks.contains(.deceased) ? .deceased : nil
    }
}
