internal import MienAPI
internal import MienCore
internal import MienIdentity
internal import MienStore

/// Attempts of users that a verification session captures.
extension IdentityService {
    /// - Throws: ``IdentityError`` `unsupportedMethod`.
    func requireSupport(of type: IdentityDocumentType) throws(IdentityError) {
        guard let documents, documents.verifier.types.contains(type) else {
            throw IdentityError(
                .unsupportedMethod, field: "documentType",
                documents == nil
                    ? "this deployment checks no documents"
                    : "this deployment does not check documents of this type")
        }
    }

    /// Does the same for the documents of one country.
    func requireSupport(of type: IdentityDocumentType, from country: Country)
        throws(IdentityError)
    {
        try requireSupport(of: type)
        guard
            supportedDocuments.contains(where: { $0.type == type && $0.countries.contains(country) }
            )
        else {
            throw IdentityError(
                .unsupportedMethod, field: "documentType",
                "this deployment does not read documents of this type from \(country.rawValue); see supported_documents"
            )
        }
    }

    /// The documents that can be verified, by type, each with its countries; without those that no
    /// country has.
    var supportedDocuments: [(type: IdentityDocumentType, countries: [Country])] {
        guard let verifier = documents?.verifier else { return [] }
        return verifier.types.sorted { $0.rawValue < $1.rawValue }.map { type in
            (type, verifier.countries(of: type, among: supportedCountries))
        }.filter { !$0.countries.isEmpty }
    }

    /// The kind of attempt that a document of the user would be: compared with the personal data that
    /// the user attempted before, or the source of it.
    static func kind(_ state: VerificationState) -> VerificationAttempt.Kind {
        state.piiAttempts > 0 ? .document : .capturedDocument
    }

    /// Checks whether an attempt with a document would be accepted now.
    ///
    /// - Parameter type: `nil` while it is not known.
    /// - Throws: ``IdentityError``.
    func requireAttempt(with type: IdentityDocumentType?, of account: AccountRecord) async throws {
        let state = try await store.read { try $0.verifications.find(account.id).state }
        let kind = Self.kind(state)
        if let refusal = state.refusal(of: kind, under: rules.policy) { throw refusal }
        try require(kind, with: type)
    }

    private func require(_ kind: VerificationAttempt.Kind, with type: IdentityDocumentType?)
        throws(IdentityError)
    {
        guard kind == .capturedDocument else { return }
        guard !sources.isEmpty else {
            throw IdentityError(.unsupportedMethod, "this deployment verifies no personal data")
        }
        guard type?.hasAddress ?? true else {
            throw IdentityError(
                .unsupportedMethod, field: "documentType",
                "a passport states no address; verify personal data with verifyIdentity first")
        }
    }

    /// Begins the attempt of a session that was submitted, in the same transaction.
    ///
    /// - Throws: ``IdentityError``, ``ServerBusy``. Nothing is counted then.
    func begin(
        _ record: VerificationSessionRecord, of account: AccountRecord, in tables: Tables
    ) throws {
        guard let document = record.session.document, record.content != nil else {
            throw IdentityError(.dataRedacted, "the pictures were erased")
        }
        let state = try tables.verifications.find(account.id).state, kind = Self.kind(state)
        try requireSupport(of: document.type)
        try require(kind, with: document.type)
        let images = try tables.verificationSessions.images(of: record.id, of: account)
        func bytes(_ role: String) -> [UInt8]? {
            images.first { $0.role == role }?.content?.use { $0 }
        }
        let selfie = bytes(SessionPicture.selfie.role)
        let template = bytes(DocumentInput.templateRole)
        var input = DocumentInput(
            country: document.country.rawValue, type: document.type, front: bytes("front") ?? [],
            back: bytes("back"),
            face: template.map { .live(template: $0) } ?? selfie.map { .picture($0) })
        // The picture of a live capture is for reviewers; only its template is compared.
        let shown =
            template == nil ? [] : images.filter { $0.role == SessionPicture.selfie.role }
        input.tilt =
            record.session.parts.contains(.documentLive) ? TiltSeries.frames(in: images) : nil
        let id = try Self.nextAttempt(of: record.id, account, in: tables)
        try begin(
            kind, input.content, images: input.images + shown, as: id, of: account,
            app: record.app, in: tables)
    }

    /// The first attempt has the session's identifier; each later one a number, too. A submission
    /// that was not judged does not count for the session, but its attempt remains.
    private static func nextAttempt(
        of session: IdentityAttemptID, _ account: AccountRecord, in tables: Tables
    ) throws -> IdentityAttemptID {
        var number = 1
        while true {
            let text = number == 1 ? session.text : "\(session.text).\(number)"
            guard let id = IdentityAttemptID(text) else {
                throw IdentityError(.updateFailed, "the session has too many submissions")
            }
            guard try tables.verificationAttempts.find(id, of: account) != nil else { return id }
            number += 1
        }
    }
}
