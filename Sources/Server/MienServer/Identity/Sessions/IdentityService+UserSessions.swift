internal import MienAPI
internal import MienCore
internal import MienIdentity
internal import MienStore

/// Attempts of users that a verification session captures.
extension IdentityService {
    /// The kind of attempt that a document of the user would be: compared with the personal data that
    /// the user attempted before, or the source of it.
    static func kind(_ state: VerificationState) -> VerificationAttempt.Kind {
        state.piiAttempts > 0 ? .document : .capturedDocument
    }

    /// Checks whether an attempt with a document would be accepted now.
    ///
    /// - Returns: The kind of attempt that it would be.
    /// - Throws: ``IdentityError``.
    @discardableResult
    func requireAttempt(of account: AccountRecord) async throws -> VerificationAttempt.Kind {
        let state = try await store.read { try $0.verifications.find(account.id).state }
        let kind = Self.kind(state)
        if let refusal = state.refusal(of: kind, under: rules.policy) { throw refusal }
        guard kind == .capturedDocument else { return kind }
        guard !sources.isEmpty else { throw Self.noSources }
        guard supportedDocuments.contains(where: \.statesAddress) else {
            throw IdentityError(
                .unsupportedMethod,
                "no accepted document states an address that is read; verify personal data with verifyIdentity first"
            )
        }
        return kind
    }

    /// The documents that can be chosen in a session. A user whose personal data is unknown has to
    /// choose one with an address.
    func documents(for found: VerificationSessions.Found) async throws -> [SupportedDocument] {
        var rows = supportedDocuments
        if found.record.owner == .user, let account = found.account {
            let state = try await store.read { try $0.verifications.find(account.id).state }
            if Self.kind(state) == .capturedDocument { rows = rows.filter(\.statesAddress) }
        }
        return [SupportedDocument](rows)
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
        _ = try coverage(of: document.type, from: document.country.rawValue, for: kind)
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
