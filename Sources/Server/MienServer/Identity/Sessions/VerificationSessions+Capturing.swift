internal import Crypto
package import MienAPI
internal import MienCore
internal import MienFace
package import MienIdentity
internal import MienMedia
internal import MienStore

/// The capturing side: what an app or the hosted page does with the start token.
extension VerificationSessions {
    package func answer(_ token: String) async throws -> VerificationSessionAnswer {
        try await answer(refreshed(find(token)))
    }

    func answer(_ found: Found) async throws -> VerificationSessionAnswer {
        let (record, session) = (found.record, found.record.session)
        let content = SessionContent(record.content)
        var consent: VerificationSessionAnswer.Consent?
        if session.needsConsent, session.consentVersion == nil, session.status.isOpen {
            let text = identities.consentText(found.app.settings.identity)
            consent = .init(
                content: text.content, language: text.language, version: text.version)
        }
        let documents = try await identities.documents(for: found)
        return VerificationSessionAnswer(
            sessionID: record.id.text, status: .known(session.status), appName: found.app.name,
            expiresAt: session.expiresAt.milliseconds, consent: consent,
            missingImages: session.missing.map { .known($0) },
            required: session.parts.sorted { $0.rawValue < $1.rawValue }.map { .known($0) },
            country: session.document?.country.rawValue,
            documentType: session.document.map { .known($0.type) },
            supportedCountries: Set(documents.flatMap(\.countries)).sorted(),
            supportedDocumentTypes: documents.map(\.documentType),
            supportedDocuments: documents,
            recapture: session.recaptures.first.map {
                .init(
                    image: .known($0.picture), reasons: $0.reasons.map(\.sessionWord),
                    hints: $0.hints)
            }, callbackURL: content.flatMap { Self.callback($0, record.id) })
    }

    /// Where the page returns to. Neither parameter grants anything: the relying party reads the
    /// result from the server.
    static func callback(_ content: SessionContent, _ id: IdentityAttemptID) -> String? {
        guard let address = content.callbackURL else { return nil }
        var pairs = [("sessionId", id.text)]
        if let state = content.state { pairs.append(("state", state)) }
        let query = pairs.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
        return address + (address.contains("?") ? "&" : "?") + query
    }

    /// - Throws: ``Problem`` `.invalidRequest` if the text is not the current one.
    package func consent(_ token: String, to version: String) async throws
        -> VerificationSessionAnswer
    {
        let found = try await find(token)
        guard identities.consentText(found.app.settings.identity).version == version else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: "version",
                        message: "is not the version of the current text; read it again")
                ])
        }
        let service = identities, now = clock.now
        return try await answer(
            change(found.record.id) { found, tables in
                let isNew = found.record.session.consentVersion != version
                // A session that has ended consents to nothing.
                try found.record.session.consent(to: version)
                if let account = found.account {
                    _ = try service.provideConsent(
                        to: version, of: account, in: found.app.id, tables)
                } else if isNew {
                    try tables.audit.append(
                        AuditEvent(
                            "verification.consented", actor: "person", app: found.app.id,
                            detail: [
                                "session": .string(found.record.id.text),
                                "version": .string(version),
                            ]), at: now)
                }
                return found
            })
    }

    /// - Throws: ``IdentityError`` `unsupportedCountry`, `unsupportedMethod`.
    package func choose(_ token: String, country: String, type: IdentityDocumentType) async throws
        -> VerificationSessionAnswer
    {
        let found = try await find(token)
        var kind: VerificationAttempt.Kind?
        if found.record.owner == .user, let account = found.account {
            kind = try await identities.requireAttempt(of: account)
        }
        let issuer = try identities.coverage(of: type, from: country, for: kind).issuer
        return try await answer(
            change(found.record.id) { found, tables in
                let dropped = try found.record.session.choose(
                    SessionDocument(country: issuer, type: type))
                try tables.verificationSessions.drop(dropped.flatMap(\.roles), of: found.record.id)
                return found
            })
    }

    // MARK: Pictures

    /// The session of a start token, before a picture is received from a client that may not send
    /// any.
    package func requireOpen(_ token: String) async throws -> IdentityAttemptID {
        let found = try await find(token), session = found.record.session
        guard !session.status.isFinal, session.status != .processing else {
            throw Problem(.captureClosed, "The verification session takes no pictures any more.")
        }
        guard clock.now < session.expiresAt else { throw SessionProblem.expired }
        guard !session.needsConsent || session.consentVersion != nil else {
            return try SessionProblem.reporting {
                throw VerificationSession.Refusal.consentMissing
            }
        }
        return found.record.id
    }

    /// - Returns: the time to wait before the next frame; `nil` if it may come now.
    package func wait(for session: IdentityAttemptID) async throws -> Duration? {
        try await previews.wait(for: session)
    }

    /// Looks at a frame of a camera. Nothing is stored or counted.
    package func preview(_ bytes: [UInt8], of session: IdentityAttemptID) async throws
        -> VerificationPreviewAnswer
    {
        let found = try await previews.frame(bytes, of: session)
        return VerificationPreviewAnswer(
            corners: found.corners?.map { [Self.rounded($0.x), Self.rounded($0.y)] },
            faults: found.faults, ready: found.isReady)
    }

    private static func rounded(_ number: Double) -> Double { (number * 10_000).rounded() / 10_000 }

    /// Takes a picture of a document if it is good enough. It is counted before it is decoded.
    ///
    /// - Throws: ``Problem``; ``ServerBusy``.
    package func put(_ picture: SessionPicture, _ bytes: [UInt8], in id: IdentityAttemptID)
        async throws -> VerificationPictureAnswer
    {
        let isLast = try await change(id) { found, _ in
            try found.record.session.receive(picture)
            return !found.record.session.mayReject(picture)
        }
        let seen: DocumentPreview, stored: [UInt8]
        do {
            (seen, stored) = try await previews.picture(bytes, of: id)
        } catch is ImageError {
            // Not counted as a rejected picture.
            guard let found = try await store.read({ try Self.find(id, $0) }) else {
                throw Self.unknown
            }
            return Self.refusal(.poorImageQuality, "unreadable", found)
        }
        var isShown = seen.corners != nil
        if !isShown, isLast { isShown = try await showsDocument(stored, in: id) }
        let image = AttemptImage(
            role: picture.role, sha256: Array(SHA256.hash(data: stored)),
            content: Sensitive(stored))
        let origin = originHash, room = room
        return try await change(id) { [isShown] found, tables in
            if let reason = seen.reason, found.record.session.reject(picture) || !isShown {
                return Self.refusal(reason, seen.faults.first, found)
            }
            try found.record.session.take(picture)
            try tables.verificationSessions.drop([picture.role], of: id)
            try room.require([image], in: found.record, from: origin, tables)
            try tables.verificationSessions.put(image, in: id, of: found.account)
            return VerificationPictureAnswer(
                accepted: true,
                missingImages: found.record.session.missing.map { .known($0) })
        }
    }

    /// Whether a picture in which no edges were found shows a document all the same. A picture that
    /// shows none is never stored.
    private func showsDocument(_ bytes: [UInt8], in id: IdentityAttemptID) async throws -> Bool {
        guard let verifier = identities.documents?.verifier else { return false }
        return try await verifier.showsDocument(
            previews.decoded(bytes, of: id), for: .stranger(naming: id.text))
    }

    static func refusal(_ reason: RecaptureReason, _ hint: String?, _ found: Found)
        -> VerificationPictureAnswer
    {
        VerificationPictureAnswer(
            accepted: false, recapture: .init(reasons: [reason.sessionWord], hint: hint ?? ""),
            missingImages: found.record.session.missing.map { .known($0) })
    }

    // MARK: Ends

    /// Begins the judgment.
    ///
    /// - Throws: ``Problem``; ``ServerBusy`` if too many wait: the session is then unchanged. For a
    ///   user's session, ``IdentityError`` if the attempt is refused.
    package func submit(_ token: String) async throws -> VerificationSessionAnswer {
        let found = try await refreshed(find(token)), id = found.record.id
        let identities = identities, now = clock.now
        let submitted: Found
        do {
            submitted = try await change(id) { found, tables in
                try found.record.session.submit()
                if found.record.owner == .user, let account = found.account {
                    try identities.begin(found.record, of: account, in: tables)
                } else {
                    try identities.jobs.add(
                        IdentityJob(
                            id: id.text, subject: .session, account: nil, app: found.app.id,
                            queuedAt: now),
                        in: tables)
                }
                return found
            }
        } catch let error as StoreError where error.code == .stale {
            throw IdentityService.parallelAttempt
        }
        identities.jobs.wakeUp()
        return try await answer(submitted)
    }

    /// Cancels a session and destroys its key. One that has ended stays as it is.
    package func cancel(_ token: String) async throws -> VerificationSessionAnswer {
        let found = try await find(token)
        let capture = SessionContent(found.record.content)?.capture
        let ended = try await end(found.record.id)
        if let capture { try await captures.remove(capture) }
        return try await answer(ended)
    }

    /// Cancels a session, unless it has ended.
    func end(_ id: IdentityAttemptID) async throws -> Found {
        let now = clock.now
        return try await store.write(.always) { tables -> Found in
            guard var found = try Self.find(id, tables) else { throw Self.unknown }
            // A user's attempt that was submitted goes on.
            guard found.record.session.status.isOpen || found.record.owner != .user,
                found.record.session.cancel(at: now)
            else { return found }
            try tables.identityJobs.delete(id.text)
            try tables.deleteSelfie(of: found.record)
            try tables.verificationSessions.update(found.record, of: found.account)
            _ = try tables.verificationSessions.erase(id)
            try tables.tell(of: found.record, at: now)
            return found
        }
    }
}
