public import MienCore

/// The state of one user's identity verification. Pure: no clock, no storage.
///
/// Begin an attempt, store the state, judge, then conclude the attempt: an attempt is counted before
/// it is judged, and only one runs at a time. Personal data comes before a document, unless the
/// personal data is taken from it.
/// A success is final for the level that it achieved. Raising the required level reopens
/// verification, because ``isVerified(required:)`` compares with what is required now.
public struct VerificationState: Sendable, Hashable, Codable {
    /// The highest level that was achieved.
    public private(set) var achieved: VerificationMethod = .none
    /// The time ``achieved`` was achieved.
    public private(set) var verifiedAt: Instant?
    /// The time the last attempt began; `nil` before the first, and after a reset.
    public private(set) var lastAttemptedAt: Instant?
    /// The attempts that began since the last reset.
    public private(set) var piiAttempts = 0, documentAttempts = 0
    /// The attempts that reviewers granted in addition to the policy's.
    public private(set) var grantedPII = 0, grantedDocuments = 0
    public private(set) var block: VerificationBlock?
    /// The attempt that has not ended.
    public private(set) var open: VerificationAttempt?
    private var document: DocumentResult?
    /// The documents since the last reset that had to be sent again and were not counted; `nil` for
    /// none.
    private var uncounted: Int?
    /// The pictures or documents to send instead of the last document; `nil` for none.
    private var requested: [DocumentRecapture]?
    /// Whether a source that invents its answers judged any attempt since the last reset.
    public private(set) var isSimulated = false

    private enum DocumentResult: String, Codable { case unreadable, succeeded, failed }

    public init() {}

    // MARK: Attempts

    /// Counts an attempt.
    ///
    /// - Throws: ``IdentityError`` `alreadyVerified`, `retryBlocked`, `retriesExceeded`,
    ///   `unsupportedMethod` if the policy accepts no documents, `informationNotProvided` for a
    ///   document without personal data before it, or `updateFailed` while another attempt runs.
    ///   The state is then unchanged.
    public mutating func begin(
        _ kind: VerificationAttempt.Kind, id: IdentityAttemptID, under policy: VerificationPolicy,
        at now: Instant
    ) throws(IdentityError) {
        if let refusal = refusal(of: kind, under: policy) { throw refusal }
        open = VerificationAttempt(id: id, kind: kind)
        lastAttemptedAt = now
        if kind.usesDocument { documentAttempts += 1 } else { piiAttempts += 1 }
    }

    /// The reason an attempt would be refused now.
    public func refusal(of kind: VerificationAttempt.Kind, under policy: VerificationPolicy)
        -> IdentityError?
    {
        if achieved >= kind.achieves {
            return IdentityError(
                .alreadyVerified, "the identity is already verified at this level")
        }
        if kind.usesDocument, policy.documents.isEmpty {
            return IdentityError(.unsupportedMethod, "this deployment checks no documents")
        }
        if block == .fraud || (block != nil && !kind.usesDocument) || isFinal(kind) {
            return IdentityError(
                .retryBlocked, "the result of an earlier attempt permits no other one")
        }
        if kind == .document, piiAttempts == 0 {
            return IdentityError(
                .informationNotProvided,
                "verify personal data with verifyIdentity before a document")
        }
        if open != nil {
            return IdentityError(
                .updateFailed, "another attempt of this user is in progress or under review")
        }
        guard remaining(kind, under: policy) > 0 else {
            return IdentityError(.retriesExceeded, "all attempts are used up")
        }
        return nil
    }

    /// Ends an attempt, or sends it to a review.
    ///
    /// - Parameter isSimulated: Whether a source that invents its answers took part.
    /// - Returns: `false`, leaving the state unchanged, unless the attempt is being judged. A result
    ///   that arrives twice, or after a reset, changes nothing.
    ///
    /// - Parameter recapture: The pictures or documents to send instead. With some, an unreadable
    ///   document is not counted while ``mayAskAgain``.
    public mutating func conclude(
        _ id: IdentityAttemptID, _ outcome: AttemptOutcome, isSimulated: Bool = false,
        recapture: [DocumentRecapture] = [], at now: Instant
    ) -> Bool {
        guard let attempt = open, attempt.id == id, attempt.stage == .judging else { return false }
        guard outcome != .unreadable || attempt.kind.usesDocument else { return false }
        if isSimulated { self.isSimulated = true }
        if attempt.kind.usesDocument, outcome != .notJudged {
            requested = recapture.isEmpty ? nil : recapture
        }
        switch outcome {
        case .succeeded: succeed(attempt, at: now)
        case .failed(let block): fail(attempt, block)
        case .unreadable:
            // Other pictures mend what a person did wrong, so it is not counted while it is rare.
            if !recapture.isEmpty, mayAskAgain {
                uncounted = (uncounted ?? 0) + 1
                documentAttempts -= 1
            }
            document = .unreadable
            open = nil
        case .review: open?.stage = .inReview
        case .notJudged:
            if attempt.kind.usesDocument { documentAttempts -= 1 } else { piiAttempts -= 1 }
            open = nil
        }
        return true
    }

    /// Applies the decision of a review.
    ///
    /// - Returns: `false`, leaving the state unchanged, unless the attempt is in review.
    public mutating func decide(
        _ id: IdentityAttemptID, _ decision: ReviewDecision, at now: Instant
    ) -> Bool {
        guard let attempt = open, attempt.id == id, attempt.stage == .inReview else { return false }
        switch decision {
        case .accept: succeed(attempt, at: now)
        case .reject: fail(attempt, nil)
        case .askAgain:
            open = nil
            if attempt.kind.usesDocument { grantedDocuments += 1 } else { grantedPII += 1 }
        }
        return true
    }

    /// An administrator's reset: as if the user never attempted verification. The level achieved is
    /// lost, and an open attempt has no effect.
    public mutating func reset() { self = VerificationState() }

    private mutating func succeed(_ attempt: VerificationAttempt, at now: Instant) {
        open = nil
        achieved = attempt.kind.achieves
        verifiedAt = now
        if attempt.kind.usesDocument { document = .succeeded }
    }

    private mutating func fail(_ attempt: VerificationAttempt, _ block: VerificationBlock?) {
        open = nil
        self.block = block == .fraud ? .fraud : self.block ?? block
        if attempt.kind.usesDocument { document = .failed }
    }

    /// Whether the last document failed for good.
    private func isFinal(_ kind: VerificationAttempt.Kind) -> Bool {
        kind.usesDocument && document == .failed
    }

    // MARK: Answers

    /// Whether the user has achieved the required level. Nobody is verified without an attempt, even
    /// where none is required.
    public func isVerified(required: VerificationMethod) -> Bool {
        achieved > .none && achieved >= required
    }

    /// The next kind of attempt that would help: personal data until it succeeded, then documents if
    /// the required level needs them. `nil` once verified.
    ///
    /// Documents of a user whose attempts with personal data are used up are accepted, too, but this
    /// remains `personalData`, so that ``canAttemptAgain(required:under:)`` tells the client to
    /// continue with a document.
    private func next(required: VerificationMethod) -> VerificationAttempt.Kind? {
        if isVerified(required: required) { return nil }
        return achieved == .none ? .personalData : .document
    }

    /// Whether the next attempt would be accepted: one with personal data, or once that succeeded,
    /// with a document.
    public func canAttemptAgain(required: VerificationMethod, under policy: VerificationPolicy)
        -> Bool
    {
        next(required: required).map { refusal(of: $0, under: policy) == nil } ?? false
    }

    /// The number of further attempts of the kind that
    /// ``canAttemptAgain(required:under:)`` is about; 0 if none is accepted.
    public func attemptsRemaining(required: VerificationMethod, under policy: VerificationPolicy)
        -> Int
    {
        guard let kind = next(required: required), refusal(of: kind, under: policy) == nil else {
            return 0
        }
        return remaining(kind, under: policy)
    }

    public func documentStatus(required: VerificationMethod) -> DocumentVerificationStatus {
        if let open, open.kind.usesDocument { return .pending }
        switch document {
        case .unreadable: return .documentUnreadable
        case .succeeded: return .succeeded
        case .failed: return .failed
        case nil: return required < .governmentID ? .notRequired : .notAttempted
        }
    }

    /// The pictures or documents to send instead of those of the last document, and why. Empty
    /// unless that could not be read or failed.
    public var recapture: [DocumentRecapture] {
        guard open?.kind.usesDocument != true, document != .succeeded else { return [] }
        return requested ?? []
    }

    /// Whether a document that has to be sent again uses up no attempt.
    public var mayAskAgain: Bool { uncounted ?? 0 < VerificationPolicy.uncountedDocuments }

    private func remaining(_ kind: VerificationAttempt.Kind, under policy: VerificationPolicy)
        -> Int
    {
        kind.usesDocument
            ? max(0, policy.documentAttempts + grantedDocuments - documentAttempts)
            : max(0, policy.piiAttempts + grantedPII - piiAttempts)
    }
}
