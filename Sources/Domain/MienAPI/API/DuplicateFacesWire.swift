public import MienCore
public import MienIdentity

/// Two accounts whose faces look alike: one of `GET /v1/faces/duplicates`.
public struct DuplicateCaseAnswer: Sendable, Hashable, Codable {
    public var id: String
    public var appID: String
    /// The user who registered a face last.
    public var user: String
    /// The user who had one before.
    public var otherUser: String
    /// The match score of the two faces, 48...72.
    public var score: Double
    public var openedAt: Int64
    public var closedAt: Int64?
    /// Whether two people must decide that the accounts belong to different people.
    public var needsSecondReviewer: Bool
    /// The decisions so far, in order.
    public var decisions: [DuplicateDecisionAnswer]

    public init(
        id: String, appID: String, user: String, otherUser: String, score: Double, openedAt: Int64,
        closedAt: Int64? = nil, needsSecondReviewer: Bool, decisions: [DuplicateDecisionAnswer]
    ) {
        (self.id, self.appID, self.user, self.otherUser) = (id, appID, user, otherUser)
        (self.score, self.openedAt, self.closedAt) = (score, openedAt, closedAt)
        (self.needsSecondReviewer, self.decisions) = (needsSecondReviewer, decisions)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, appID = "app_id", user, otherUser = "other_user", score, openedAt = "opened_at",
            closedAt = "closed_at", needsSecondReviewer = "needs_second_reviewer", decisions
    }
}

/// One person's decision about a probable duplicate.
public struct DuplicateDecisionAnswer: Sendable, Hashable, Codable {
    public var decision: WireValue<DuplicateDecision>
    /// An administrator's ID.
    public var reviewer: String
    public var at: Int64

    public init(decision: WireValue<DuplicateDecision>, reviewer: String, at: Int64) {
        (self.decision, self.reviewer, self.at) = (decision, reviewer, at)
    }
}

/// One of the two accounts of a case.
public struct DuplicateAccountAnswer: Sendable, Hashable, Codable {
    public var user: String
    public var state: WireValue<AccountState>
    public var createdAt: Int64
    public var faceRegisteredAt: Int64
    /// The level of identity verification that the user achieved.
    public var verificationMethod: WireValue<VerificationMethod>

    public init(
        user: String, state: WireValue<AccountState>, createdAt: Int64, faceRegisteredAt: Int64,
        verificationMethod: WireValue<VerificationMethod>
    ) {
        (self.user, self.state, self.createdAt) = (user, state, createdAt)
        (self.faceRegisteredAt, self.verificationMethod) = (faceRegisteredAt, verificationMethod)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case user, state, createdAt = "created_at", faceRegisteredAt = "face_registered_at",
            verificationMethod = "verification_method"
    }
}

/// A case as a reviewer sees it: `GET /v1/faces/duplicates/{case}`.
public struct DuplicateCaseDetail: Sendable, Hashable, Codable {
    public var duplicateCase: DuplicateCaseAnswer
    /// The two accounts, in the order of `user` and `other_user`.
    public var accounts: [DuplicateAccountAnswer]

    public init(duplicateCase: DuplicateCaseAnswer, accounts: [DuplicateAccountAnswer]) {
        (self.duplicateCase, self.accounts) = (duplicateCase, accounts)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case duplicateCase = "case", accounts
    }
}

/// `POST /v1/faces/duplicates/{case}/decision`.
public struct DuplicateDecisionRequest: Sendable, Hashable, Codable {
    public var decision: DuplicateDecision
    public init(decision: DuplicateDecision) { self.decision = decision }
    public enum CodingKeys: String, CodingKey, CaseIterable { case decision }
}

/// The outcome of a decision about a probable duplicate.
public struct DuplicateOutcomeAnswer: Sendable, Hashable, Codable {
    /// The final decision; absent while a second reviewer is awaited.
    public var decision: WireValue<DuplicateDecision>?
    public init(decision: WireValue<DuplicateDecision>?) { self.decision = decision }
}
