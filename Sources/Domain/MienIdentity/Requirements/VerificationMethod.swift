public import MienCore

/// A level of identity verification, from the lowest to the highest.
public enum VerificationMethod: String, WireWord, Comparable {
    case none = "NONE"
    /// Personal data agreed with a trusted source.
    case knowledgeOfPII = "KNOWLEDGE_OF_PII"
    /// A document of a government was checked.
    case governmentID = "GOVERNMENT_ID"

    public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .none: 0
        case .knowledgeOfPII: 1
        case .governmentID: 2
        }
    }
}

/// The level that a user has to reach.
public struct VerificationRequirement: Sendable, Hashable {
    public let deployment: VerificationMethod
    /// Replaces the deployment's level for the users of an app.
    public let app: VerificationMethod?
    /// Raises the level for one user. Never lowers it.
    public let user: VerificationMethod?

    public init(
        deployment: VerificationMethod, app: VerificationMethod? = nil,
        user: VerificationMethod? = nil
    ) {
        (self.deployment, self.app, self.user) = (deployment, app, user)
    }

    public var method: VerificationMethod { max(app ?? deployment, user ?? .none) }
}

/// A document that a government issues.
public enum IdentityDocumentType: String, WireWord {
    case driverLicense, passport, idCard
}

/// The progress of checking a document, as answers contain it.
public enum DocumentVerificationStatus: String, WireWord {
    /// The required level needs no document.
    case notRequired
    case notAttempted
    /// Not decided yet.
    case pending
    /// The pictures could not be read, or are of another document. Another attempt may follow.
    case documentUnreadable
    /// Final.
    case succeeded
    /// Final.
    case failed
}

/// The limits of a deployment.
public struct VerificationPolicy: Sendable, Hashable {
    public static let attemptRange = 1...100
    /// The number of documents that may be sent again without using up an attempt, until a reset.
    public static let uncountedDocuments = 10

    /// The number of attempts with personal data, 1...100.
    public let piiAttempts: Int
    /// The number of attempts with documents, 1...100.
    public let documentAttempts: Int
    /// The documents that are accepted; empty if the deployment checks none.
    public let documents: Set<IdentityDocumentType>

    /// - Precondition: both numbers are in ``attemptRange``.
    public init(
        piiAttempts: Int = 3, documentAttempts: Int = 5, documents: Set<IdentityDocumentType> = []
    ) {
        precondition(
            Self.attemptRange.contains(piiAttempts)
                && Self.attemptRange.contains(documentAttempts), "attempts must be 1...100")
        (self.piiAttempts, self.documentAttempts) = (piiAttempts, documentAttempts)
        self.documents = documents
    }
}
