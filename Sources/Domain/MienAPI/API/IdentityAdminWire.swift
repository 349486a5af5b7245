public import MienIdentity

/// An unclear identity in the queue of reviews: one of `GET /v1/verifications/cases`.
public struct ReviewCaseAnswer: Sendable, Hashable, Codable {
    public var id: String
    public var attempt: String
    public var user: String
    public var appID: String
    public var openedAt: Int64
    public var closedAt: Int64?
    /// Whether two people must accept the case.
    public var needsSecondReviewer: Bool
    /// The decisions so far, in order.
    public var decisions: [ReviewDecisionAnswer]

    public init(
        id: String, attempt: String, user: String, appID: String, openedAt: Int64,
        closedAt: Int64? = nil, needsSecondReviewer: Bool, decisions: [ReviewDecisionAnswer]
    ) {
        (self.id, self.attempt, self.user, self.appID) = (id, attempt, user, appID)
        (self.openedAt, self.closedAt) = (openedAt, closedAt)
        (self.needsSecondReviewer, self.decisions) = (needsSecondReviewer, decisions)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, attempt, user, appID = "app_id", openedAt = "opened_at", closedAt = "closed_at",
            needsSecondReviewer = "needs_second_reviewer", decisions
    }
}

/// One reviewer's decision.
public struct ReviewDecisionAnswer: Sendable, Hashable, Codable {
    public var decision: WireValue<ReviewDecision>
    /// An administrator's ID.
    public var reviewer: String
    public var at: Int64

    public init(decision: WireValue<ReviewDecision>, reviewer: String, at: Int64) {
        (self.decision, self.reviewer, self.at) = (decision, reviewer, at)
    }
}

/// An attempt to verify an identity, without personal data.
public struct IdentityAttemptAnswer: Sendable, Hashable, Codable {
    public var id: String
    public var appID: String
    public var kind: WireValue<VerificationAttempt.Kind>
    public var begunAt: Int64
    /// Absent while the attempt is judged or reviewed.
    public var concludedAt: Int64?
    /// The results by check; absent until the attempt is judged.
    public var checks: [String: String]?
    public var recommendation: WireValue<IdentityRecommendation>?
    /// The version of the rules that recommended.
    public var rulesVersion: String?
    /// The names of the sources that answered.
    public var sources: [String]?
    /// Whether one of them invents its answers.
    public var simulated: Bool?
    /// Whether the personal data and pictures are erased.
    public var isErased: Bool

    public init(
        id: String, appID: String, kind: WireValue<VerificationAttempt.Kind>, begunAt: Int64,
        concludedAt: Int64? = nil, checks: [String: String]? = nil,
        recommendation: WireValue<IdentityRecommendation>? = nil, rulesVersion: String? = nil,
        sources: [String]? = nil, simulated: Bool? = nil, isErased: Bool
    ) {
        (self.id, self.appID, self.kind, self.begunAt) = (id, appID, kind, begunAt)
        (self.concludedAt, self.checks, self.recommendation) = (concludedAt, checks, recommendation)
        (self.rulesVersion, self.sources, self.simulated) = (rulesVersion, sources, simulated)
        self.isErased = isErased
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, appID = "app_id", kind, begunAt = "begun_at", concludedAt = "concluded_at", checks,
            recommendation, rulesVersion = "rules_version", sources, simulated,
            isErased = "is_erased"
    }
}

/// Everything that a reviewer decides by: `GET /v1/verifications/cases/{case}`.
public struct ReviewCaseDetail: Sendable, Hashable, Codable {
    public var reviewCase: ReviewCaseAnswer
    public var attempt: IdentityAttemptAnswer
    /// The members that the user sent; absent once erased. Personal data.
    public var content: [String: String]?
    /// The sources side by side, and why a check did not pass; absent once erased. Personal data.
    public var comparison: ReviewComparison?
    /// The roles of the pictures that are stored: `front`, `back`, `face`.
    public var images: [String]

    public init(
        reviewCase: ReviewCaseAnswer, attempt: IdentityAttemptAnswer, content: [String: String]?,
        comparison: ReviewComparison? = nil, images: [String]
    ) {
        (self.reviewCase, self.attempt, self.content, self.images) = (
            reviewCase, attempt, content, images
        )
        self.comparison = comparison
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case reviewCase = "case", attempt, content, comparison, images
    }
}

extension ReviewCaseDetail: CustomStringConvertible, CustomReflectable {
    public var description: String { "review case \(reviewCase.id)" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A comparison that an attempt made: the sources side by side, and the reasons of checks that did not pass.
public struct ReviewComparison: Sendable, Hashable, Codable {
    /// The person's own data, then the zone, the barcode, and the printed text of the document.
    public var sources: [ReviewSource]
    public var reasons: [ReviewReason]

    public init(sources: [ReviewSource] = [], reasons: [ReviewReason] = []) {
        (self.sources, self.reasons) = (sources, reasons)
    }
}

extension ReviewComparison: CustomStringConvertible, CustomReflectable {
    public var description: String { "‹comparison›" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A source and its statements about the person and the document.
public struct ReviewSource: Sendable, Hashable, Codable {
    /// `input` is what the person stated, `document` the personal data that was taken from the
    /// document; `mrz`, `barcode`, and `visual_zone` are parts of the document.
    public var name: String
    /// Texts by field, such as `family_name` and `birth`.
    public var fields: [String: String]
    /// The fields that were read with little confidence; absent if there are none.
    public var unsure: [String]?

    public init(name: String, fields: [String: String], unsure: [String] = []) {
        (self.name, self.fields) = (name, fields)
        self.unsure = unsure.isEmpty ? nil : unsure
    }
}

extension ReviewSource: CustomStringConvertible, CustomReflectable {
    public var description: String { "‹source \(name)›" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Why a check did not pass.
public struct ReviewReason: Sendable, Hashable, Codable {
    /// The check, such as `document_consistent`.
    public var check: String
    /// The part of the check, such as `same_birth` or `family_name`.
    public var detail: String
    /// `failed`, `inconclusive`, `not_checked`, or why nothing follows from the comparison, such as
    /// `doubtful`.
    public var result: String
    /// The sources that were compared; empty for a check of pictures.
    public var sources: [String]
    /// The score and the minimum of a pass; absent where nothing is scored.
    public var score, minimum: Double?

    public init(
        check: String, detail: String, result: String, sources: [String], score: Double? = nil,
        minimum: Double? = nil
    ) {
        (self.check, self.detail, self.result, self.sources) = (check, detail, result, sources)
        (self.score, self.minimum) = (score, minimum)
    }
}

/// `POST /v1/verifications/cases/{case}/decision`.
public struct ReviewDecisionRequest: Sendable, Hashable, Codable {
    public var decision: ReviewDecision
    public init(decision: ReviewDecision) { self.decision = decision }
    public enum CodingKeys: String, CodingKey, CaseIterable { case decision }
}

/// The outcome of a decision.
public struct ReviewOutcomeAnswer: Sendable, Hashable, Codable {
    /// The final decision; absent while a second reviewer is awaited.
    public var decision: WireValue<ReviewDecision>?
    public init(decision: WireValue<ReviewDecision>?) { self.decision = decision }
}

/// A user's identity verification: `GET /v1/users/{user}/verification`.
public struct UserVerificationAnswer: Sendable, Hashable, Codable {
    /// The highest level achieved.
    public var verificationMethod: WireValue<VerificationMethod>
    /// Absent unless a level is achieved.
    public var verifiedAt: Int64?
    /// The level that an administrator requires of this user; `NONE` if nobody raised it.
    public var requiredMethod: WireValue<VerificationMethod>
    /// The finding that forbids further attempts.
    public var block: WireValue<VerificationBlock>?
    /// Whether a source that invents its answers took part.
    public var simulated: Bool
    /// The oldest first.
    public var attempts: [IdentityAttemptAnswer]

    public init(
        verificationMethod: WireValue<VerificationMethod>, verifiedAt: Int64?,
        requiredMethod: WireValue<VerificationMethod>, block: WireValue<VerificationBlock>?,
        simulated: Bool, attempts: [IdentityAttemptAnswer]
    ) {
        (self.verificationMethod, self.verifiedAt) = (verificationMethod, verifiedAt)
        (self.requiredMethod, self.block) = (requiredMethod, block)
        (self.simulated, self.attempts) = (simulated, attempts)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case verificationMethod = "verification_method", verifiedAt = "verified_at",
            requiredMethod = "required_method", block, simulated, attempts
    }
}

/// `PUT /v1/users/{user}/verification/requirement`.
public struct VerificationRequirementRequest: Sendable, Hashable, Codable {
    public var method: VerificationMethod
    public init(method: VerificationMethod) { self.method = method }
    public enum CodingKeys: String, CodingKey, CaseIterable { case method }
}

/// The reference registry: `GET /v1/registry`.
public struct RegistryAnswer: Sendable, Hashable, Codable {
    /// The number of people.
    public var people: Int
    public init(people: Int) { self.people = people }
}

/// The result of one import: `POST /v1/registry/people`.
public struct RegistryImportAnswer: Sendable, Hashable, Codable {
    /// The number of people inserted or replaced.
    public var imported: Int
    /// When, in milliseconds since 1970 by the server's clock.
    public var importedAt: Int64
    /// The number of rows with letters beyond ASCII; for rows whose encoding was stated only.
    public var rowsBeyondASCII: Int?
    /// Those letters, with a space between.
    public var letters: String?

    public init(
        imported: Int, importedAt: Int64, rowsBeyondASCII: Int? = nil, letters: String? = nil
    ) {
        (self.imported, self.importedAt) = (imported, importedAt)
        (self.rowsBeyondASCII, self.letters) = (rowsBeyondASCII, letters)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case imported, importedAt = "imported_at", rowsBeyondASCII = "rows_beyond_ascii", letters
    }
}

/// The result of `DELETE /v1/registry/people`.
public struct RegistryRemovalAnswer: Sendable, Hashable, Codable {
    /// The number of people removed.
    public var removed: Int
    public init(removed: Int) { self.removed = removed }
}
