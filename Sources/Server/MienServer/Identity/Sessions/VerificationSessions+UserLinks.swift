package import MienAPI
package import MienCore
internal import MienIdentity
package import MienStore

/// The links with which users photograph their documents: `initiateIdentityDocumentCapture`.
extension VerificationSessions {
    /// Returns the user's link. It stays the same until it is used or its session ends, so that a
    /// client that polls stores no further one.
    ///
    /// - Throws: ``IdentityError`` if an attempt would be refused.
    package func link(for account: AccountRecord, in app: AppID) async throws
        -> DocumentCaptureLink
    {
        let found = try await store.read { try $0.apps.find(app) }
        guard identities.documents != nil, let found else {
            throw IdentityError(.unsupportedMethod, "this deployment checks no documents")
        }
        try await identities.requireAttempt(of: account)
        if let open = try await openLink(of: account, in: app) { return open }
        var wanted = Wanted()
        wanted.owner = .user
        wanted.account = account
        wanted.parts = identities.needsFaceImage ? [.document, .selfie] : [.document]
        let created = try await create(wanted, for: found)
        return DocumentCaptureLink(
            documentCaptureUrl: created.url, expiryAtEpochSeconds: created.expiresAt.seconds)
    }

    /// The link to the session that is open already: the one given out last, or another one if that
    /// was used.
    private func openLink(of account: AccountRecord, in app: AppID) async throws
        -> DocumentCaptureLink?
    {
        let known = try await store.read { tables -> DocumentCaptureLink? in
            guard let (record, content) = try open(of: account, in: app, tables) else { return nil }
            return try unused(content, tables).map { answer($0, to: record) }
        }
        if let known { return known }
        return try await store.write { tables -> DocumentCaptureLink? in
            guard var (record, content) = try open(of: account, in: app, tables) else { return nil }
            // Of two requests at once, the second finds the link of the first.
            if let code = try unused(content, tables) { return answer(code, to: record) }
            guard let token = content.startToken else { return nil }
            let link = try links.fresh(
                record.id, token, of: account.id, until: record.session.expiresAt)
            try tables.web.put(link.record)
            content.linkCode = link.code
            record.content = content.sealed
            try tables.verificationSessions.update(record, of: account)
            return answer(link.code, to: record)
        }
    }

    private func open(of account: AccountRecord, in app: AppID, _ tables: Tables) throws
        -> (record: VerificationSessionRecord, content: SessionContent)?
    {
        // Do not hand out a link again that expires within ten minutes.
        guard
            let id = try tables.verificationSessions.openSessions(of: account.id, app: app).last,
            let record = try tables.verificationSessions.find(id, of: account),
            record.session.status.isOpen, clock.now + .seconds(600) < record.session.expiresAt,
            let content = SessionContent(record.content), content.epoch == account.epoch
        else { return nil }
        return (record, content)
    }

    private func unused(_ content: SessionContent, _ tables: Tables) throws -> String? {
        guard let code = content.linkCode,
            try links.isUnused(code, in: tables, at: clock.now)
        else { return nil }
        return code
    }

    private func answer(_ code: String, to record: VerificationSessionRecord)
        -> DocumentCaptureLink
    {
        DocumentCaptureLink(
            documentCaptureUrl: links.address(of: code),
            expiryAtEpochSeconds: record.session.expiresAt.seconds)
    }
}
