internal import MienAPI
internal import MienCore
internal import MienFace
internal import MienIdentity
internal import MienStore

/// The findings of a worker about a session without an attempt of a user.
struct SessionFindings: Sendable {
    var judgment: VerificationSession.Judgment
    var result: AttemptRecord.Result?
    /// The personal data as read, by the names of the API.
    var document: JSONValue?
    /// The sources and reasons that reviewers see.
    var comparison = ReviewComparison()

    static let notJudged = SessionFindings(judgment: .notJudged)
}

extension IdentityService {
    /// Judges a session that was submitted.
    func performSession(_ id: IdentityAttemptID, starts: Int) async throws {
        let found = try await store.read { tables in
            (
                try VerificationSessions.find(id, tables),
                try tables.verificationSessions.images(of: id)
            )
        }
        guard let session = found.0, session.record.session.status == .processing,
            session.record.content != nil
        else { return try await concludeSession(id, .notJudged) }
        let findings =
            starts <= IdentityJobQueue.maxStarts
            ? try await findings(of: session, found.1)
            : .unreadable(session.record.session)
        // Also if the server stops now, which cancels this task.
        try await Task { try await concludeSession(id, findings) }.value
    }

    private func findings(
        of found: VerificationSessions.Found, _ images: [AttemptImage]
    ) async throws -> SessionFindings {
        let session = found.record.session
        if isSimulated, let mock = SessionContent(found.record.content)?.mock {
            return .invented(mock)
        }
        var checks = IdentityChecks(), document: JSONValue?, pack: String?
        var comparison = ReviewComparison()
        if session.parts.contains(.document) {
            guard let documents else { throw IdentitySourceError.unavailable }
            guard
                let submission = try await submission(
                    of: found.record, images, documents)
            else {
                return .unreadable(session)
            }
            let read = try await documents.verifier.examine(submission)
            guard read.isReadable else {
                return SessionFindings(
                    judgment: .unreadable(
                        session, read.recapture, isOfRun: found.record.owner == .journey))
            }
            (checks, comparison) = (read.checks, read.comparison)
            checks[.documentReadable] = .passed
            let person = read.data.flatMap {
                try? PersonalData($0, supported: rules.countries)
            }
            if let born = person?.dateOfBirth ?? read.stated?.dateOfBirth {
                let fault = rules.age.fault(born, today: CalendarDate(clock.now))
                checks[.agePlausible] = fault == nil ? .passed : .failed
            }
            document = read.data?.json ?? read.stated?.json
            pack = read.pack
        }
        if session.parts.contains(.selfie) {
            checks[.live] =
                images.contains { $0.role == DocumentInput.templateRole } ? .passed : .notChecked
            if let reference = images.content(of: VerificationSessions.referenceRole) {
                guard let faces, let face = images.face else {
                    throw IdentitySourceError.unavailable
                }
                checks[.faceMatch] = try await faces.compare(
                    reference, with: face, for: .stranger())
                pack = faces.pack
            }
        }
        let recommendation = rules.recommendations.recommendation(
            for: checks, acceptsStillFaces: found.app.settings.identity.acceptsStillFaces)
        return SessionFindings(
            judgment: .complete(recommendation),
            result: AttemptRecord.Result(
                checks: checks, recommendation: recommendation,
                rulesVersion: rules.recommendations.version, sources: [], isSimulated: false,
                pack: pack), document: document, comparison: comparison)
    }

    /// - Returns: `nil` if a picture cannot be decoded.
    private func submission(
        of record: VerificationSessionRecord, _ images: [AttemptImage],
        _ documents: DocumentChecker
    ) async throws -> DocumentSubmission? {
        func bytes(_ role: String) -> [UInt8]? { images.content(of: role)?.use { $0 } }
        guard let kind = record.session.document,
            let front = bytes(SessionPicture.documentFront.role),
            let owner = UserID(record.id.text)
        else { return nil }
        let back = bytes(SessionPicture.documentBack.role)
        let tilt =
            record.session.parts.contains(.documentLive) ? TiltSeries.frames(in: images) : nil
        let face = images.face, offered = supportedDocuments
        do {
            return try await documents.work.run(for: .stranger()) {
                let front = try Self.decode(front, .front)
                return DocumentSubmission(
                    // Shares of work are divided by owner; the session stands for its user.
                    account: owner, country: kind.country, type: kind.type, front: front,
                    back: try back.map { try Self.decode($0, .back) } ?? front,
                    face: try face.map(Self.decode), tilt: tilt.map(TiltSeries.decoded),
                    mayAskAgain: record.session.mayAskAgain, offered: offered)
            }
        } catch is UndecodablePicture { return nil }
    }

    /// Records what was found, once. The job ends in the same transaction.
    func concludeSession(_ id: IdentityAttemptID, _ findings: SessionFindings) async throws {
        let now = clock.now
        try await store.write { tables in
            try tables.identityJobs.delete(id.text)
            // Skip a session that cannot be decrypted; it is deleted at the end of its retention.
            guard var found = try tables.readable({ try VerificationSessions.find(id, $0) }),
                found.record.session.judge(findings.judgment, at: now)
            else { return }
            if found.record.session.status == .complete {
                found.record.result = findings.result
                if found.record.owner == .journey {
                    try openReview(of: found, findings, in: tables, at: now)
                    // The run needs only the result, and a case has pictures of its own.
                    try tables.verificationSessions.erasePictures(of: id)
                } else if var content = SessionContent(found.record.content) {
                    content.document = findings.document
                    found.record.content = content.sealed
                }
            }
            try tables.verificationSessions.update(found.record)
            // The last submission was unreadable.
            if found.record.session.status == .expired {
                _ = try tables.verificationSessions.erase(id)
            }
            try tables.audit.append(
                AuditEvent(
                    "verification.judged", actor: "system", app: found.app.id,
                    detail: [
                        "session": .string(id.text),
                        "status": .string(found.record.session.status.rawValue),
                    ]), at: now)
            try tables.tell(of: found.record, at: now)
        }
    }
}

extension IdentityService {
    /// Opens a case about a run's session that is to be challenged, if the run waits for a review.
    ///
    /// The case is about an attempt that changes nothing of the user's own verification: it counts as
    /// none, and its decision is the run's alone.
    private func openReview(
        of found: VerificationSessions.Found, _ findings: SessionFindings, in tables: Tables,
        at now: Instant
    ) throws {
        let record = found.record
        guard record.session.recommendation == .challenge, let result = findings.result,
            let user = SessionContent(record.content)?.reviewed,
            let account = try tables.accounts.find(user)
        else { return }
        var members = findings.document?.objectValue ?? [:]
        if let document = record.session.document {
            members["country"] = .string(document.country.rawValue)
            members["documentType"] = .string(document.type.rawValue)
        }
        findings.comparison.add(to: &members)
        // A case outlives the content of its session, which ends soon after the session.
        let days = found.app.settings.identity.retentionDays ?? rules.retentionDays
        try tables.verificationAttempts.insert(
            AttemptRecord(
                id: record.id, account: user, app: record.app, kind: .capturedDocument,
                begunAt: now, contentExpiresAt: now + .seconds(days * 86_400),
                content: Sensitive(Array(JSONText.write(.object(members)).utf8)), result: result),
            images: try tables.verificationSessions.images(of: record.id), of: account)
        var generator = SystemRandomNumberGenerator()
        try tables.reviewCases.insert(
            ReviewCaseRecord(
                review: ReviewCase(
                    id: .random(using: &generator), attempt: record.id,
                    needsSecondReviewer: rules.needsSecondReviewer), account: user,
                app: record.app, openedAt: now))
    }
}

extension [AttemptImage] {
    fileprivate func content(of role: String) -> Sensitive<[UInt8]>? {
        first { $0.role == role }?.content
    }

    /// The person's face: the template of a live capture, or else a still picture.
    fileprivate var face: DocumentFace? {
        content(of: DocumentInput.templateRole).map { .live(template: $0.use { $0 }) }
            ?? content(of: SessionPicture.selfie.role).map { .picture($0.use { $0 }) }
    }
}

extension SessionFindings {
    /// The result that a test asked for.
    static func invented(_ recommendation: IdentityRecommendation) -> SessionFindings {
        SessionFindings(
            judgment: .complete(recommendation),
            result: AttemptRecord.Result(
                checks: IdentityChecks(), recommendation: recommendation, rulesVersion: "mock",
                sources: [], isSimulated: true))
    }

    /// The pictures of the document could not be read.
    static func unreadable(_ session: VerificationSession) -> SessionFindings {
        SessionFindings(judgment: .unreadable(session))
    }
}

extension VerificationSession.Judgment {
    /// - Parameters:
    ///   - wanted: The pictures to send instead; all of the document if empty.
    ///   - isOfRun: Whether the selfie belongs to the run of a journey, which has no other one.
    static func unreadable(
        _ session: VerificationSession, _ wanted: [DocumentRecapture] = [], isOfRun: Bool = false
    ) -> Self {
        let pictures = Dictionary(grouping: wanted) { SessionPicture($0.image) }
            .filter { session.needed.contains($0.key) }
        guard !isOfRun || pictures[.selfie] == nil else { return .complete(.deny) }
        guard !pictures.isEmpty else {
            return .recapture(
                session.needed.filter(\.isOfDocument).sorted().map {
                    SessionRecapture(picture: $0, reasons: [.poorImageQuality])
                })
        }
        return .recapture(
            pictures.sorted { $0.key < $1.key }.map { picture, reasons in
                var unique: [RecaptureReason] = []
                for reason in reasons.map(\.reason) where !unique.contains(reason) {
                    unique.append(reason)
                }
                let hints = reasons.flatMap(\.hints)
                return SessionRecapture(
                    picture: picture, reasons: unique, hints: hints.isEmpty ? nil : hints)
            })
    }
}

extension SessionPicture {
    fileprivate init(_ picture: DocumentPicture) {
        self =
            switch picture {
            case .front: .documentFront
            case .back: .documentBack
            case .face: .selfie
            }
    }
}

extension StatedPerson {
    /// The members of personal data that a document without an address states.
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [:]
        if !givenNames.isEmpty { members["firstName"] = .string(givenNames) }
        if !familyName.isEmpty { members["lastName"] = .string(familyName) }
        if let dateOfBirth { members["dateOfBirth"] = .string("\(dateOfBirth)") }
        return .object(members)
    }
}

extension SessionPicture {
    /// The role of the picture in storage and evidence.
    var role: String {
        switch self {
        case .documentFront: "front"
        case .documentTilt: TiltSeries.role(0)
        case .documentBack: "back"
        case .selfie: "selfie"
        }
    }

    /// The roles of all that is stored of the picture.
    var roles: [String] { self == .documentTilt ? TiltSeries.roles : [role] }

    init?(role: String) {
        guard let found = Self.allCases.first(where: { $0.role == role }) else { return nil }
        self = found
    }
}

extension Tables {
    /// Passes the outcome of a user's attempt on to the session that it comes from, if any.
    func noteSession(
        of attempt: IdentityAttemptID, _ outcome: AttemptOutcome, _ result: AttemptRecord.Result?,
        _ account: AccountRecord, recapture: [DocumentRecapture] = [], at now: Instant
    ) throws {
        let text = attempt.text.prefix { $0 != "." }
        guard let id = IdentityAttemptID(text),
            var record = try verificationSessions.find(id, of: account)
        else { return }
        let judgment: VerificationSession.Judgment =
            switch outcome {
            case .succeeded: .complete(.allow)
            case .review: .complete(.challenge)
            case .failed: .complete(.deny)
            case .unreadable: .unreadable(record.session, recapture)
            case .notJudged: .notJudged
            }
        guard record.session.judge(judgment, at: now) else { return }
        if record.session.status == .complete { record.result = result }
        try verificationSessions.update(record, of: account)
        // The attempt has what it needs, sealed under its own key.
        if record.session.status.isFinal { _ = try verificationSessions.erase(id) }
        try tell(of: record, at: now)
    }

    /// Queues news of a session that ended or needs other pictures.
    func tell(of record: VerificationSessionRecord, at now: Instant) throws {
        guard record.session.status.isFinal || record.session.status == .recapture else { return }
        var members: [String: JSONValue] = [
            "event": "identity.session", "session": .string(record.id.text),
            "status": .string(record.session.status.rawValue),
        ]
        if let recommendation = record.session.recommendation {
            members["recommendation"] = .string(recommendation.rawValue)
        }
        if let user = record.account { members["user"] = .string(user.text) }
        try tell(record.app, members, at: now)
    }
}
