public import MienAPI
public import MienIdentity

// MARK: Probable duplicates

extension MienAdmin {
    /// Returns the open cases about accounts whose faces look alike, the oldest first, at most 100.
    /// The audit log records the view.
    ///
    /// - Parameter after: ``Page/next`` of the page before.
    public func duplicateCases(after: String? = nil) async throws -> Page<DuplicateCaseAnswer> {
        try await page("faces", "duplicates", after: after)
    }

    /// Returns a case with its two accounts. The audit log records the view.
    ///
    /// - Throws: ``MienError`` with the problem `not_found`.
    public func duplicateCase(_ id: String) async throws -> DuplicateCaseDetail {
        try await get("faces", "duplicates", id)
    }

    /// Decides whether two accounts belong to different people. Nothing happens to the accounts.
    ///
    /// - Throws: ``MienError`` with the problem `not_found`, or `conflict` if the case is closed or
    ///   this administrator already decided it.
    public func decideDuplicate(_ id: String, _ decision: DuplicateDecision) async throws
        -> DuplicateOutcomeAnswer
    {
        try await send(
            .post, "faces", "duplicates", id, "decision",
            body: DuplicateDecisionRequest(decision: decision), isRepeatable: false)
    }
}
