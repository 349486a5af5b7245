package import MienAPI
package import MienCore
package import MienIdentity
package import MienStore

/// The relying party's side: what an app does in its own name.
extension VerificationSessions {
    /// Returns a session of the app.
    ///
    /// - Throws: ``Problem`` `.notFound`, also for sessions of other apps.
    private func find(_ id: IdentityAttemptID, of app: AppRecord, in tables: Tables) throws -> Found
    {
        guard var found = try Self.find(id, tables), found.app.id == app.id,
            found.record.owner == .relyingParty
        else { throw Self.unknown }
        _ = found.record.session.expire(at: clock.now)
        return found
    }

    package func result(of id: IdentityAttemptID, for app: AppRecord) async throws
        -> VerificationSessionResult
    {
        let found = try await store.read { try find(id, of: app, in: $0) }
        let (record, session) = (found.record, found.record.session)
        let content = SessionContent(record.content)
        return VerificationSessionResult(
            sessionID: id.text, status: .known(session.status),
            recommendation: session.recommendation.map { .known($0) },
            checks: record.result.map { result in
                Dictionary(
                    uniqueKeysWithValues: result.checks.results.map {
                        ($0.key.rawValue, $0.value.rawValue)
                    })
            }, rulesVersion: record.result?.rulesVersion,
            simulated: record.result.map(\.isSimulated),
            verifiedInfo: content.flatMap { Self.info($0, session) }, state: content?.state,
            createdAt: record.createdAt.milliseconds, endedAt: session.endedAt?.milliseconds)
    }

    /// Creates a session that compares a person with the app's picture of them.
    ///
    /// - Throws: ``Problem`` `.invalidRequest` if the picture shows no face that can be compared;
    ///   ``ServerBusy``.
    package func create(
        _ wanted: Wanted, comparing picture: Sensitive<[UInt8]>, for useCase: FaceAuthUseCase,
        app: AppRecord
    ) async throws -> Created {
        guard let faces = identities.faces else {
            throw Problem(.notFound, "This server compares no faces.")
        }
        let faults = try await faces.faults(of: picture, for: .stranger())
        guard faults.isEmpty else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: "reference.content",
                        message:
                            "shows no face that can be compared (\(faults.joined(separator: ", "))); send a PNG, JPEG, or GIF of one person from the front"
                    )
                ])
        }
        var wanted = wanted
        (wanted.parts, wanted.reference) = ([.selfie], (picture, useCase.rawValue))
        return try await create(wanted, for: app)
    }

    /// Returns the result of a session that compares a person with a picture.
    ///
    /// - Throws: ``Problem`` `.notFound` for other sessions.
    package func faceAuthResult(of id: IdentityAttemptID, for app: AppRecord) async throws
        -> FaceAuthResult
    {
        let (found, images) = try await store.read { tables in
            (
                try find(id, of: app, in: tables),
                try tables.verificationSessions.list(of: id)
            )
        }
        guard images.contains(where: { $0.role == Self.referenceRole }) else { throw Self.unknown }
        let useCase = SessionContent(found.record.content)?.useCase
        return FaceAuthResult(
            try await result(of: id, for: app), useCase: useCase.map { .init(rawValue: $0) })
    }

    private static func info(_ content: SessionContent, _ session: VerificationSession)
        -> VerifiedInfo?
    {
        guard session.status == .complete, let document = session.document else { return nil }
        func text(_ name: String) -> String? { content.document?[name]?.stringValue }
        let person = VerifiedInfo.Person(
            firstName: text("firstName"), lastName: text("lastName"), address: text("address"),
            city: text("city"), state: text("state"), postalCode: text("postalCode"),
            country: text("country"), dateOfBirth: text("dateOfBirth"))
        return VerifiedInfo(
            person: content.document == nil ? nil : person,
            document: .init(country: document.country.rawValue, type: .known(document.type)))
    }

    /// Returns the pictures of a session, until they are erased.
    package func images(of id: IdentityAttemptID, for app: AppRecord) async throws
        -> VerificationSessionImages
    {
        let images = try await store.read { tables in
            _ = try find(id, of: app, in: tables)
            return try tables.verificationSessions.list(of: id)
        }
        return VerificationSessionImages(
            sessionImages: images.filter(\.isKept).compactMap {
                SessionPicture(role: $0.role)
            }.sorted().map { .init(id: $0.rawValue, type: .known($0)) })
    }

    /// Returns a picture. The view is in the audit log.
    package func image(_ picture: SessionPicture, of id: IdentityAttemptID, for app: AppRecord)
        async throws -> Sensitive<[UInt8]>
    {
        let now = clock.now
        return try await store.write { tables in
            _ = try find(id, of: app, in: tables)
            let image = try tables.verificationSessions.image(picture.role, of: id)
            guard let image else { throw Problem(.notFound, "The session has no such picture.") }
            guard let content = image.content else {
                throw Problem(.notFound, "The picture was erased at the end of its retention.")
            }
            try tables.audit.append(
                AuditEvent(
                    "verification.viewed", actor: "app", app: app.id,
                    detail: ["session": .string(id.text), "image": .string(picture.rawValue)]),
                at: now)
            return content
        }
    }

    /// Erases what a session captured before its retention ends. A session that goes on is canceled.
    package func erase(_ id: IdentityAttemptID, for app: AppRecord) async throws {
        let now = clock.now
        try await store.write(.always) { tables in
            var found = try find(id, of: app, in: tables)
            if found.record.session.cancel(at: now) {
                try tables.identityJobs.delete(id.text)
                try tables.tell(of: found.record, at: now)
            }
            try tables.deleteSelfie(of: found.record)
            try tables.verificationSessions.update(found.record)
            _ = try tables.verificationSessions.erase(id)
            try tables.audit.append(
                AuditEvent(
                    "verification.erased", actor: "app", app: app.id,
                    detail: ["session": .string(id.text)]), at: now)
        }
    }

    /// Returns the evidence of a session that was judged. Contains no picture and no personal data.
    ///
    /// - Parameter app: `nil` for administrators.
    package func evidence(of id: IdentityAttemptID, for app: AppRecord?, by actor: String)
        async throws -> EvidenceRecord
    {
        let now = clock.now
        return try await store.write { tables in
            guard let found = try Self.find(id, tables), found.record.owner != .user,
                app.map({ $0.id == found.app.id && found.record.owner == .relyingParty }) ?? true
            else { throw Self.unknown }
            guard let result = found.record.result, let endedAt = found.record.session.endedAt
            else { throw Problem(.conflict, "The session was not judged.") }
            try tables.audit.append(
                AuditEvent(
                    "verification.evidenced", actor: actor, app: found.app.id,
                    detail: ["session": .string(id.text)]), at: now)
            return EvidenceRecord(
                attempt: id, kind: nil, user: nil, app: found.app.id,
                begunAt: found.record.createdAt, concludedAt: endedAt, sources: result.sources,
                isSimulated: result.isSimulated, checks: result.checks,
                rulesVersion: result.rulesVersion, pack: result.pack,
                recommendation: result.recommendation,
                isVerified: result.recommendation == .allow,
                images: try tables.verificationSessions.list(of: id).compactMap {
                    EvidenceRecord.Image(role: $0.role, sha256: $0.sha256)
                })
        }
    }
}
