public import MienCore

public enum DuplicateCaseKind: IdentifierKind { public static let prefix = "dup" }
public typealias DuplicateCaseID = Identifier<DuplicateCaseKind>

/// A reviewer's decision about two accounts whose faces look alike.
public enum DuplicateDecision: String, WireWord {
    /// The accounts belong to different people.
    case distinct
    /// One person has both accounts.
    case duplicate
}

/// Two accounts of an app whose faces look alike, for people to decide. Pure.
///
/// With a second reviewer, ``DuplicateDecision/distinct`` needs two different people, because it
/// lets the accounts stay; ``DuplicateDecision/duplicate`` needs one, so that a doubt of either
/// decides.
public struct DuplicateCase: Sendable, Hashable, Codable {
    public enum Stage: Sendable, Hashable, Codable {
        case open
        case distinctOnce(by: AdminID)
        case closed(DuplicateDecision)
    }

    /// One person's decision.
    public struct Entry: Sendable, Hashable, Codable {
        public let decision: DuplicateDecision
        public let reviewer: AdminID
        public let at: Instant
    }

    public let id: DuplicateCaseID
    public let needsSecondReviewer: Bool
    public private(set) var stage: Stage = .open
    public private(set) var entries: [Entry] = []

    public init(id: DuplicateCaseID, needsSecondReviewer: Bool) {
        (self.id, self.needsSecondReviewer) = (id, needsSecondReviewer)
    }

    /// The final decision.
    public var decision: DuplicateDecision? {
        if case .closed(let decision) = stage { decision } else { nil }
    }

    /// Records a decision.
    ///
    /// - Returns: the final decision, or `nil` while a second reviewer is awaited.
    /// - Throws: ``ReviewError``; the case is then unchanged.
    public mutating func decide(
        _ decision: DuplicateDecision, by reviewer: AdminID, at now: Instant
    ) throws(ReviewError) -> DuplicateDecision? {
        switch stage {
        case .closed: throw .closed
        case .distinctOnce(let first) where first == reviewer: throw .samePerson
        case .open where decision == .distinct && needsSecondReviewer:
            stage = .distinctOnce(by: reviewer)
        case .open, .distinctOnce: stage = .closed(decision)
        }
        entries.append(Entry(decision: decision, reviewer: reviewer, at: now))
        return self.decision
    }
}
