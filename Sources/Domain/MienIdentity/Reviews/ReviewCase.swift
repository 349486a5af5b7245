public import MienCore

public enum ReviewCaseKind: IdentifierKind { public static let prefix = "cas" }
public typealias ReviewCaseID = Identifier<ReviewCaseKind>

/// A case that people decide. Pure.
///
/// With a second reviewer, accepting needs two different people; rejecting and asking again need
/// one, so that a doubt of either decides.
public struct ReviewCase: Sendable, Hashable, Codable {
    public enum Stage: Sendable, Hashable, Codable {
        case open
        case acceptedOnce(by: AdminID)
        case closed(ReviewDecision)
    }

    /// One person's decision.
    public struct Entry: Sendable, Hashable, Codable {
        public let decision: ReviewDecision
        public let reviewer: AdminID
        public let at: Instant
    }

    public let id: ReviewCaseID
    public let attempt: IdentityAttemptID
    public let needsSecondReviewer: Bool
    public private(set) var stage: Stage = .open
    public private(set) var entries: [Entry] = []

    public init(id: ReviewCaseID, attempt: IdentityAttemptID, needsSecondReviewer: Bool) {
        (self.id, self.attempt, self.needsSecondReviewer) = (id, attempt, needsSecondReviewer)
    }

    /// The final decision.
    public var decision: ReviewDecision? {
        if case .closed(let decision) = stage { decision } else { nil }
    }

    /// Records a decision.
    ///
    /// - Returns: the final decision, or `nil` while a second reviewer is awaited.
    /// - Throws: ``ReviewError``; the case is then unchanged.
    public mutating func decide(
        _ decision: ReviewDecision, by reviewer: AdminID, at now: Instant
    ) throws(ReviewError) -> ReviewDecision? {
        switch stage {
        case .closed: throw .closed
        case .acceptedOnce(let first) where first == reviewer: throw .samePerson
        case .open where decision == .accept && needsSecondReviewer:
            stage = .acceptedOnce(by: reviewer)
        case .open, .acceptedOnce: stage = .closed(decision)
        }
        entries.append(Entry(decision: decision, reviewer: reviewer, at: now))
        return self.decision
    }
}

/// The reason a decision about a case is refused.
public enum ReviewError: String, Error, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    case closed = "case_closed"
    case samePerson = "same_reviewer"

    public var description: String {
        switch self {
        case .closed: "the case is closed; a decision is final"
        case .samePerson: "this reviewer already accepted the case; another person must confirm it"
        }
    }
}
