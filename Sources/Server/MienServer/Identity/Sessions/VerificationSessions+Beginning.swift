internal import Foundation
internal import MienAPI
package import MienCore
package import MienIdentity
package import MienStore

/// A session of a journey that nobody has used. A run costs a stranger nothing, so that its session
/// is stored once its link or its start token is used.
struct PendingSession: Codable, Sendable, CustomReflectable {
    let tokenHash: [UInt8]
    let app: AppID
    let run: InstanceID
    let parts: Set<SessionPart>
    let callbackURL, state: String?
    /// The user whose case opens if the session is to be reviewed.
    let reviewed: UserID?
    /// The capture that takes the selfie, which the run opened, and its start token.
    let capture: CaptureID
    let captureToken: String
    let expiresAt: Instant

    var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension VerificationSessions {
    /// Prepares a session for a run of a journey.
    ///
    /// - Parameter selfie: The run's capture and its start token.
    /// - Throws: ``IdentityError`` `unsupportedMethod` if the deployment checks no documents.
    package func prepare(
        _ wanted: Wanted, id: IdentityAttemptID, run: InstanceID,
        selfie: (capture: CaptureID, startToken: String), for app: AppRecord
    ) async throws -> Created {
        var generator = SystemRandomNumberGenerator()
        let token = BearerSecret(for: id, using: &generator)
        let startToken = token.text.use { $0 }, end = clock.now + wanted.lifetime
        let link = try links.fresh(id, startToken, of: nil, until: end)
        let pending = PendingSession(
            tokenHash: store.keys.hash(ofSecret: token.secret), app: app.id, run: run,
            parts: wanted.parts, callbackURL: wanted.callbackURL, state: wanted.state,
            reviewed: wanted.reviewed, capture: selfie.capture, captureToken: selfie.startToken,
            expiresAt: end)
        let record = WebRecord(
            .pendingVerification, pendingKey(id), app: app.id,
            content: Sensitive([UInt8](try JSONEncoder().encode(pending))), expiresAt: end)
        try await store.write(.process) { tables in
            try tables.web.put(record)
            try tables.web.put(link.record)
        }
        let parts = parts(of: wanted, for: app)
        return Created(
            id: id, startToken: startToken, expiresAt: end, parts: parts,
            missing: VerificationSession(parts: parts, expiresAt: end).missing,
            url: links.address(of: link.code))
    }

    /// Begins the session that was prepared for a run.
    ///
    /// - Returns: `nil` if there is none with this token.
    /// - Throws: ``Problem`` `.tooManyRequests`. The session can begin later.
    func begin(_ id: IdentityAttemptID, _ tokenHash: [UInt8]) async throws -> Found? {
        let key = pendingKey(id), now = clock.now
        let found = try await store.read { tables -> (PendingSession, AppRecord)? in
            guard let record = try tables.web.find(.pendingVerification, key, at: now) else {
                return nil
            }
            let pending = try record.content.use {
                try JSONDecoder().decode(PendingSession.self, from: Data($0))
            }
            return try tables.apps.find(pending.app).map { (pending, $0) }
        }
        guard let (pending, app) = found, isSame(pending.tokenHash, tokenHash) else { return nil }
        var wanted = Wanted()
        (wanted.owner, wanted.run, wanted.parts) = (.journey, pending.run, pending.parts)
        var content = SessionContent()
        (content.callbackURL, content.state) = (pending.callbackURL, pending.state)
        (content.capture, content.captureToken) = (pending.capture, pending.captureToken)
        content.reviewed = pending.reviewed
        let record = record(
            wanted, id, tokenHash, content, until: pending.expiresAt, for: app)
        let origin = originHash, room = room
        return try await store.write { tables in
            // Of two requests at once, the second finds the session of the first.
            guard try tables.web.take(.pendingVerification, key, at: now) != nil else {
                return try Self.find(id, tables)
            }
            let sessions = tables.verificationSessions
            guard try sessions.open(ofJourneysFrom: origin) < room.sessionsOfNetwork else {
                throw Problem(
                    .tooManyRequests,
                    "\(room.sessionsOfNetwork) verifications from your network wait for input. Finish or cancel one, or try again later."
                )
            }
            guard try sessions.open(of: app.id, owner: .journey) < Self.maxOpen else {
                throw Self.tooMany
            }
            try sessions.insert(record, from: origin)
            try tables.noteCreation(of: record, at: now)
            return try Self.find(id, tables)
        }
    }

    /// Whether a session was prepared for the run, and nobody has used it.
    func isPending(_ id: IdentityAttemptID, _ tables: Tables) throws -> Bool {
        try tables.web.find(.pendingVerification, pendingKey(id), at: clock.now) != nil
    }

    /// Uses a link up.
    ///
    /// - Returns: `nil` if the code is unknown, used, or expired.
    /// - Throws: ``Problem`` `.tooManyRequests` if the session cannot begin now. The link stays.
    package func open(link code: String) async throws -> VerificationLinks.Target? {
        guard let target = try await links.target(of: code) else { return nil }
        do { _ = try await find(target.startToken) } catch let problem as Problem
            where problem.code == .invalidCredentials
        { return nil }
        return try await links.open(code)
    }

    /// A hash of the network of the client of this request, so that a stolen database does not reveal it.
    var originHash: [UInt8] {
        store.keys.hash(ofSecret: Array("verification origin \(RequestNetwork.key)".utf8))
    }

    private func pendingKey(_ id: IdentityAttemptID) -> [UInt8] {
        store.keys.hash(ofSecret: Array("pending verification \(id.text)".utf8))
    }
}
