public import MienAPI
public import MienCore
public import MienIdentity

// MARK: Identities

extension MienAdmin {
    /// Returns the open cases of identity reviews, the oldest first, at most 100. The audit log
    /// records the view.
    ///
    /// - Parameter after: ``Page/next`` of the page before.
    public func reviewCases(after: String? = nil) async throws -> Page<ReviewCaseAnswer> {
        try await page("verifications", "cases", after: after)
    }

    /// Returns a case with the personal data of its attempt. The audit log records the view.
    ///
    /// - Throws: ``MienError`` with the problem `not_found`.
    public func reviewCase(_ id: String) async throws -> ReviewCaseDetail {
        try await get("verifications", "cases", id)
    }

    /// Returns which countries' people, and which documents, the server verifies.
    public func readableDocuments() async throws -> SupportedCountriesAnswer {
        try await get("verifications", "documents")
    }

    /// Decides a case.
    ///
    /// - Throws: ``MienError`` with the problem `not_found`, or `conflict` if the case is closed or
    ///   this administrator already accepted it.
    public func decide(_ id: String, _ decision: ReviewDecision) async throws
        -> ReviewOutcomeAnswer
    {
        try await send(
            .post, "verifications", "cases", id, "decision",
            body: ReviewDecisionRequest(decision: decision), isRepeatable: false)
    }

    /// Returns a user's identity verification, without personal data. The audit log records the
    /// view.
    public func verification(of user: UserID) async throws -> UserVerificationAnswer {
        try await get("users", user.text, "verification")
    }

    /// Starts a user's identity verification over. The level achieved is lost.
    public func resetVerification(of user: UserID) async throws {
        try await act(.post, "users", user.text, "verification", "reset")
    }

    /// Requires a level of one user, in addition to the app's. `NONE` lifts it.
    public func requireVerification(_ method: VerificationMethod, of user: UserID) async throws {
        try await connection.send(
            .init(
                method: .put, path: ["v1", "users", user.text, "verification", "requirement"],
                bearer: credential,
                body: Connection.encode(VerificationRequirementRequest(method: method))))
    }

    /// Returns the signed evidence of an attempt that has ended, a compact JWS. It contains no
    /// picture and no personal data, and is verified offline with ``evidenceKeys()``.
    ///
    /// - Throws: ``MienError`` with the problem `not_found`, or `conflict` while the attempt is
    ///   judged or reviewed.
    public func evidence(of attempt: String, of user: UserID) async throws -> String {
        let response = try await connection.send(
            .init(
                method: .get,
                path: [
                    "v1", "users", user.text, "verification", "attempts", attempt, "evidence",
                ], bearer: credential))
        guard let text = String(validUTF8: response.body) else {
            throw MienError(.serverError, "The evidence is not text.")
        }
        return text
    }

    /// Returns the keys that verify evidence, as a JWK set. They stay the same for as long as the
    /// server's master key.
    public func evidenceKeys() async throws -> JSONValue { try await get("verifications", "keys") }

    /// Erases the data and pictures of verifications that have been kept long enough. The server does
    /// the same each minute.
    ///
    /// - Parameter dryRun: Only counts them.
    public func purgeVerifications(dryRun: Bool = false) async throws -> VerificationPurgeAnswer {
        try await send(
            .post, "verifications", "purge", body: VerificationPurgeRequest(dryRun: dryRun),
            isRepeatable: true)
    }

    /// Returns the signed evidence of a verification session that was judged, as
    /// ``evidence(of:of:)``.
    public func evidence(ofSession session: String) async throws -> String {
        let response = try await connection.send(
            .init(
                method: .get,
                path: ["v1", "verifications", "sessions", session, "evidence"],
                bearer: credential))
        guard let text = String(validUTF8: response.body) else {
            throw MienError(.serverError, "The evidence is not text.")
        }
        return text
    }

    // MARK: Reference registry

    /// The maximum size of the rows of one ``importPeople(_:)`` in bytes.
    public static let maxImportBytes = 4 * 1024 * 1024

    public func registry() async throws -> RegistryAnswer { try await get("registry") }

    /// Inserts or replaces people, all or none.
    ///
    /// - Parameter rows: CSV with a header row, at most ``maxImportBytes``.
    /// - Throws: ``MienError`` whose ``MienError/fields`` name the first invalid row, counted from 0
    ///   without the header, as `rows[12]`.
    public func importPeople(_ rows: [UInt8]) async throws -> RegistryImportAnswer {
        try await connection.json(
            .init(
                method: .post, path: ["v1", "registry", "people"], bearer: credential,
                contentType: "text/csv", body: rows))
    }

    /// Removes the people that no import since `time` listed.
    ///
    /// - Parameter time: Milliseconds since 1970 by the server's clock, as
    ///   ``RegistryImportAnswer/importedAt`` returns it.
    public func removePeople(importedBefore time: Int64) async throws -> RegistryRemovalAnswer {
        try await connection.json(
            .init(
                method: .delete, path: ["v1", "registry", "people"],
                query: [("imported_before", String(time))], bearer: credential))
    }
}
