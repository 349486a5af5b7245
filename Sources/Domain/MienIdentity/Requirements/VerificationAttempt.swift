public import MienCore

public enum IdentityAttemptKind: IdentifierKind { public static let prefix = "idv" }
public typealias IdentityAttemptID = Identifier<IdentityAttemptKind>

/// One attempt to verify an identity.
public struct VerificationAttempt: Sendable, Hashable, Codable {
    public enum Kind: String, WireWord {
        /// Personal data that the user typed.
        case personalData
        /// A document of a user who typed personal data before.
        case document
        /// A document from which personal data is taken.
        case capturedDocument

        /// The level that a success achieves.
        public var achieves: VerificationMethod {
            self == .personalData ? .knowledgeOfPII : .governmentID
        }

        public var usesDocument: Bool { self != .personalData }
    }

    public enum Stage: String, Sendable, Hashable, Codable, CaseIterable {
        case judging
        /// Waits for a person's decision.
        case inReview
    }

    public let id: IdentityAttemptID
    public let kind: Kind
    public internal(set) var stage: Stage = .judging

    init(id: IdentityAttemptID, kind: Kind) { (self.id, self.kind) = (id, kind) }
}

/// The end of an attempt, or its way to a review.
public enum AttemptOutcome: Sendable, Hashable {
    case succeeded
    /// - Parameter block: the finding that forbids further attempts, if any.
    case failed(VerificationBlock? = nil)
    /// The pictures could not be read. Only for documents.
    case unreadable
    /// Opens a review.
    case review
    /// Nothing was judged, because a source or the server was not available. Not counted.
    case notJudged
}

/// A finding that forbids further attempts.
public enum VerificationBlock: String, WireWord {
    case implausibleAge
    case deceased
    /// Forbids documents, too.
    case fraud
}

/// The decision of a review.
public enum ReviewDecision: String, WireWord {
    case accept, reject
    /// Ends this attempt and allows another one.
    case askAgain
}
