internal import Crypto
internal import MienAPI
package import MienCore
package import MienIdentity
package import MienStore

/// Verification sessions: what a person captures, apart from the app that asked for it.
package struct VerificationSessions: Sendable {
    /// The time that a session waits for input, unless its creator says otherwise.
    package static let lifetime = Duration.seconds(3600)
    package static let lifetimeRange = 300...604_800
    /// The sessions of one app and one kind of owner that may wait for input, so that those of
    /// journeys, which strangers begin, leave room for those that the app asks for.
    static let maxOpen = 10_000

    /// The role of an app's picture, in storage and evidence.
    static let referenceRole = "reference"

    let store: Store
    let identities: IdentityService
    let captures: CaptureService
    let previews: PreviewService
    let links: VerificationLinks
    let room: VerificationRoom
    let clock: ServerClock

    /// A session, and the user whose it is.
    struct Found: Sendable {
        var record: VerificationSessionRecord
        let account: AccountRecord?
        let app: AppRecord

        /// Whether the user's sign-ins were ended since: the session began with one of them.
        var isOutdated: Bool {
            guard record.owner == .user, let account, let content = SessionContent(record.content)
            else { return false }
            return content.epoch != account.epoch
        }
    }

    /// A request for a session.
    package struct Wanted: Sendable {
        package var owner = VerificationSessionRecord.Owner.relyingParty
        package var parts: Set<SessionPart> = [.document, .selfie]
        package var lifetime = VerificationSessions.lifetime
        package var callbackURL, state: String?
        /// The picture with which the selfie is compared, and what for.
        package var reference: (picture: Sensitive<[UInt8]>, useCase: String)?
        /// See ``SessionContent/mock``.
        package var mock: IdentityRecommendation?
        package var account: AccountRecord?
        package var run: InstanceID?
        /// The user whose case opens if the run's session is to be reviewed.
        package var reviewed: UserID?
    }

    package struct Created: Sendable {
        package let id: IdentityAttemptID
        package let startToken: String
        package let expiresAt: Instant
        package let parts: Set<SessionPart>
        package let missing: [SessionPicture]
        /// The one-time link to the hosted page.
        package let url: String
    }

    /// Whether sessions with a document can be created.
    package var checksDocuments: Bool { identities.checksDocuments }

    // MARK: Creating

    /// - Throws: ``IdentityError`` `unsupportedMethod` if the deployment checks no documents;
    ///   ``Problem`` `.tooManyRequests` if the app has too many open sessions.
    package func create(_ wanted: Wanted, for app: AppRecord) async throws -> Created {
        try requireSupport(of: wanted)
        var generator = SystemRandomNumberGenerator()
        let id = IdentityAttemptID.random(using: &generator)
        let token = BearerSecret(for: id, using: &generator)
        let startToken = token.text.use { $0 }, end = clock.now + wanted.lifetime
        let link = try links.fresh(id, startToken, of: wanted.account?.id, until: end)
        let record = try await insert(
            wanted, id, token: (startToken, store.keys.hash(ofSecret: token.secret)), until: end,
            link: link, for: app)
        return Created(
            id: id, startToken: startToken, expiresAt: record.session.expiresAt,
            parts: parts(of: wanted, for: app), missing: record.session.missing,
            url: links.address(of: link.code))
    }

    private func requireSupport(of wanted: Wanted) throws {
        if wanted.mock != nil, !identities.isSimulated {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: "mock_behavior",
                        message: "is allowed only where identity.sources contains simulator")
                ])
        }
        if wanted.parts.contains(.document), identities.documents == nil {
            throw IdentityError(.unsupportedMethod, "this deployment checks no documents")
        }
    }

    func parts(of wanted: Wanted, for app: AppRecord) -> Set<SessionPart> {
        var parts = wanted.parts
        if app.settings.identity.documentLive, parts.contains(.document) {
            parts.insert(.documentLive)
        }
        return parts
    }

    /// Stores a session.
    ///
    /// - Parameter end: When it expires.
    private func insert(
        _ wanted: Wanted, _ id: IdentityAttemptID, token: (text: String, hash: [UInt8]),
        until end: Instant, link: VerificationLinks.Fresh, for app: AppRecord
    ) async throws -> VerificationSessionRecord {
        var content = SessionContent()
        (content.callbackURL, content.state) = (wanted.callbackURL, wanted.state)
        (content.useCase, content.mock) = (wanted.reference?.useCase, wanted.mock)
        if wanted.owner == .user {
            (content.startToken, content.epoch) = (token.text, wanted.account?.epoch)
            content.linkCode = link.code
        }
        let needsConsent = identities.rules.needsConsent, now = clock.now
        let prepared = record(wanted, id, token.hash, content, until: end, for: app)
        let account = wanted.account, reference = wanted.reference?.picture
        return try await store.write { tables in
            var record = prepared
            guard
                try tables.verificationSessions.open(of: app.id, owner: wanted.owner) < Self.maxOpen
            else { throw Self.tooMany }
            if let account, try tables.accounts.standing(of: account.id) == nil {
                throw SignInStanding.ended
            }
            if wanted.owner == .user, let account {
                // A user has one open session at a time, so end the earlier ones; their links stop
                // working.
                try Self.cancelOpen(of: account, in: app.id, tables, at: now)
                // Read the consent in this transaction: a withdrawal that ended before it could not
                // cancel this session.
                let consent = try tables.consents.current(
                    of: account.id, app: app.id, purpose: IdentityRules.consentPurpose)
                record.session = VerificationSession(
                    parts: prepared.session.parts, needsConsent: needsConsent && consent == nil,
                    expiresAt: prepared.session.expiresAt)
            }
            try tables.verificationSessions.insert(record, of: account)
            try tables.web.put(link.record)
            if let reference {
                try tables.verificationSessions.put(
                    AttemptImage(
                        role: Self.referenceRole,
                        sha256: reference.use { Array(SHA256.hash(data: $0)) },
                        content: reference), in: id)
            }
            try tables.noteCreation(of: record, at: now)
            return record
        }
    }

    /// A session that has yet to be stored.
    func record(
        _ wanted: Wanted, _ id: IdentityAttemptID, _ tokenHash: [UInt8], _ content: SessionContent,
        until end: Instant, for app: AppRecord
    ) -> VerificationSessionRecord {
        let settings = app.settings.identity, rules = identities.rules, now = clock.now
        let days = settings.retentionDays ?? rules.retentionDays
        let resultDays = settings.resultRetentionDays ?? rules.resultRetentionDays
        return VerificationSessionRecord(
            id: id, tokenHash: tokenHash, app: app.id,
            owner: wanted.owner, account: wanted.account?.id, run: wanted.run,
            session: VerificationSession(
                parts: parts(of: wanted, for: app), needsConsent: rules.needsConsent,
                expiresAt: end),
            createdAt: now,
            // Keep the content until the person has had time to finish. Content of a journey's
            // session is deleted soon after its end: nobody reads it then, and strangers could
            // leave one behind with each journey that they cancel.
            contentExpiresAt: wanted.owner == .journey
                ? end + .seconds(3600) : max(now + .seconds(days * 86_400), end),
            recordExpiresAt: end + .seconds(resultDays * 86_400), content: content.sealed)
    }

    static let tooMany = Problem(
        .tooManyRequests,
        "The app has \(maxOpen) sessions that wait for input. Try again when some have ended.")

    /// Cancels a user's open sessions in an app, and destroys their keys.
    static func cancelOpen(
        of account: AccountRecord, in app: AppID, _ tables: Tables, at now: Instant
    ) throws {
        for id in try tables.verificationSessions.openSessions(of: account.id, app: app) {
            guard var record = try tables.verificationSessions.find(id, of: account),
                record.session.status.isOpen, record.session.cancel(at: now)
            else { continue }
            try tables.deleteSelfie(of: record)
            try tables.verificationSessions.update(record, of: account)
            _ = try tables.verificationSessions.erase(id)
        }
    }

    // MARK: Finding

    /// Finds the session of a start token. That of a journey begins here if nobody used it before.
    ///
    /// - Throws: ``Problem`` `.invalidCredentials`; `.tooManyRequests` if the session of a journey
    ///   begins with this request, and too many others wait.
    func find(_ token: String) async throws -> Found {
        guard let (id, secret) = BearerSecret.parse(token, IdentityAttemptKind.self) else {
            throw Problem(.invalidCredentials, "The start token is malformed.")
        }
        let hash = store.keys.hash(ofSecret: secret)
        var found = try await store.read { try Self.find(id, $0) }
        if found == nil { found = try await begin(id, hash) }
        guard let found, isSame(found.record.tokenHash, hash) else {
            throw Problem(
                .invalidCredentials,
                id.text.hasPrefix("\(CaptureKind.prefix)_")
                    ? "This start token belongs to a capture. Use it with /v1/capture."
                    : "No verification session has this start token.")
        }
        RequestFacts.note(app: found.app.id)
        guard found.isOutdated, found.record.session.status.isOpen else { return found }
        return try await end(id)
    }

    static func find(_ id: IdentityAttemptID, _ tables: Tables) throws -> Found? {
        let account = try tables.verificationSessions.account(of: id).flatMap {
            try tables.accounts.find($0)
        }
        guard let record = try tables.verificationSessions.find(id, of: account),
            let app = try tables.apps.find(record.app)
        else { return nil }
        return Found(record: record, account: account, app: app)
    }

    /// Changes a session in a transaction of its own.
    ///
    /// - Parameter body: Changes the record; may store pictures. A refusal is thrown.
    func change<Output: Sendable>(
        _ id: IdentityAttemptID,
        _ body: @escaping @Sendable (inout Found, Tables) throws -> Output
    ) async throws -> Output {
        let now = clock.now
        return try await store.write { tables in
            guard var found = try Self.find(id, tables) else { throw Self.unknown }
            guard !found.record.session.expire(at: now) else { throw SessionProblem.expired }
            guard !found.isOutdated else { throw SessionProblem.ended }
            let output = try SessionProblem.reporting { try body(&found, tables) }
            try tables.verificationSessions.update(found.record, of: found.account)
            return output
        }
    }

    static let unknown = Problem(.notFound, "There is no verification session with this ID.")
}

/// The problems that clients get from a session that refuses an input.
enum SessionProblem {
    static let expired = Problem(.captureClosed, "The verification session has expired.")
    static let ended = Problem(.captureClosed, "The verification session has ended.")

    static func reporting<Output>(_ body: () throws -> Output) throws -> Output {
        do { return try body() } catch let refusal as VerificationSession.Refusal {
            throw problem(refusal)
        }
    }

    private static func problem(_ refusal: VerificationSession.Refusal) -> Problem {
        switch refusal {
        case .ended: ended
        case .processing:
            Problem(.conflict, "The session was submitted. Wait for its result.")
        case .consentMissing:
            Problem(
                .consentRequired,
                "Show the text in `consent`, then call POST /v1/verification/consent with its version."
            )
        case .documentMissing:
            Problem(
                .conflict,
                "Call POST /v1/verification/document with the kind of document before its pictures."
            )
        case .notNeeded:
            Problem(.conflict, "The session does not need this. See `missing_images`.")
        case .tooManyPictures:
            Problem(
                .tooManyRequests,
                "The session has received \(VerificationSession.maxPictures) pictures. Start another one."
            )
        case .picturesMissing:
            Problem(.conflict, "Pictures are missing. See `missing_images`.")
        }
    }
}

extension Tables {
    /// Deletes the capture of a session that ends, with its picture. That of a run of a journey
    /// belongs to the run.
    func deleteSelfie(of record: VerificationSessionRecord) throws {
        guard record.owner != .journey, let capture = SessionContent(record.content)?.capture
        else { return }
        try captures.delete(capture)
    }
}

extension Tables {
    func noteCreation(of record: VerificationSessionRecord, at now: Instant) throws {
        try audit.append(
            AuditEvent(
                "verification.created", actor: record.owner.actor, account: record.account,
                app: record.app, detail: ["session": .string(record.id.text)]), at: now)
    }
}

extension VerificationSessionRecord.Owner {
    /// The actor in the audit log.
    fileprivate var actor: String {
        switch self {
        case .relyingParty: "app"
        case .user: "user"
        case .journey: "journey"
        }
    }
}
