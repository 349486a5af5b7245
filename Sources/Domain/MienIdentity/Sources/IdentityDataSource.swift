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
    /// The marks on the person.
    public let marks: Set<Mark>
    /// The marks that may concern the person or somebody else. A person decides.
    public let unclearMarks: Set<Mark>
    /// The source is not certain, however well the fields agree.
    public let isUnclear: Bool

    public init(
        scores: FieldScores?, marks: Set<Mark> = [], unclearMarks: Set<Mark> = [],
        isUnclear: Bool = false
    ) {
        (self.scores, self.marks, self.isUnclear) = (scores, marks, isUnclear)
        self.unclearMarks = unclearMarks.subtracting(marks)
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
    ///
    /// The closest row decides. The mark of another row is at most a reason to ask a person, because
    /// two names and a birthday are shared by many people in a registry of millions. So is data that
    /// fits two people, such as the first of two given names, which twins share.
    public init(
        comparing person: PersonalData, with candidates: [RegistryPerson],
        shortNames: ShortNames = .standard
    ) {
        let compared = candidates.map { person.scores(against: $0.data, shortNames: shortNames) }
        guard let best = RegistryMatch.best(of: compared) else {
            self.init(scores: nil)
            return
        }
        let own = compared[best]
        let isExact = own.agrees && own.scores[.firstName] == 1 && own.scores[.lastName] == 1
        // If a row without marks is as close, it may be the person's own.
        let isContested = candidates.indices.contains { index in
            candidates[index].marks.isEmpty
                && compared[index].agrees == own.agrees && compared[index].total >= own.total
        }
        var marks: Set<Mark> = [], unclear: Set<Mark> = []
        for (candidate, scores) in zip(candidates, compared) where !candidate.marks.isEmpty {
            let isClosest = scores.agrees == own.agrees && scores.total >= own.total
            switch scores.samePerson {
            case .passed where isClosest && !isContested: marks.formUnion(candidate.marks)
            case .passed: unclear.formUnion(candidate.marks)
            case .inconclusive where !isExact: unclear.formUnion(candidate.marks)
            case .inconclusive, .failed, .notChecked: break
            }
        }
        let isAmbiguous =
            own.agrees && own.scores[.firstName] != 1
            && candidates.indices.contains { index in
                compared[index].agrees
                    && candidates[index].data.firstName != candidates[best].data.firstName
            }
        self.init(scores: own, marks: marks, unclearMarks: unclear, isUnclear: isAmbiguous)
    }

    /// The answer as checks. Fields that reach their minimum pass. Names that are alike are
    /// inconclusive, and so are all fields if the total still is too low.
    public var checks: IdentityChecks {
        let wrong = scores.map(\.disagreeing) ?? IdentityField.allCases
        let alike = scores?.alike ?? []
        let isUnclear = wrong.isEmpty && alike.isEmpty && (isUnclear || scores?.agrees != true)
        func result(_ fields: IdentityField...) -> IdentityCheckResult {
            wrong.contains(where: fields.contains)
                ? .failed
                : isUnclear || alike.contains(where: fields.contains) ? .inconclusive : .passed
        }
        func result(_ mark: Mark) -> IdentityCheckResult {
            marks.contains(mark) ? .failed : unclearMarks.contains(mark) ? .inconclusive : .passed
        }
        return IdentityChecks([
            .name: result(.firstName, .lastName), .dateOfBirth: result(.dateOfBirth),
            .address: result(.address, .postalCode),
            .notDeceased: result(.deceased), .notReportedFraud: result(.fraud),
        ])
    }

    /// The finding that forbids further attempts. Fraud outweighs a death.
    public var block: VerificationBlock? {
        marks.contains(.fraud) ? .fraud : marks.contains(.deceased) ? .deceased : nil
    }
}
