internal import Foundation
internal import MienAPI
package import MienCore
internal import MienFace
package import MienJourney
package import MienStore

/// The records of captures: which server has a live one, how it ends, and what it counts.
///
/// ``CaptureService`` keeps the sessions themselves in memory. Everything that servers have to agree
/// on happens here, in transactions that compare and set.
package struct CaptureRecords: Sendable {
    package typealias Content = CaptureService.Content

    /// How often a session may begin again after its server was lost.
    private static let maxRestarts = 3

    let store: Store
    let gate: LockGate
    let clock: ServerClock
    let metrics: Metrics
    /// The other servers; `nil` if there are none.
    let peers: (any CapturePeers)?

    package init(
        store: Store, gate: LockGate, clock: ServerClock, metrics: Metrics,
        peers: (any CapturePeers)?
    ) {
        (self.store, self.gate, self.clock) = (store, gate, clock)
        (self.metrics, self.peers) = (metrics, peers)
    }

    /// Stores a new capture.
    ///
    /// - Parameter admission: Checks in the same transaction whether the capture may begin.
    /// - Throws: `OAuthError` `invalid_token` if the account of the signed-in user was deleted.
    package func open(
        _ request: CaptureRequest, for origin: CaptureOrigin, under rules: LivenessRules,
        id: CaptureID, tokenHash: [UInt8], keepsPicture: Bool = false, until expiry: Instant,
        admission: @escaping @Sendable (Tables) throws -> Void = { _ in }
    ) async throws {
        let namesSearch = origin.app.settings.duplicateFaces != nil, appID = origin.app.id
        let sharing =
            request.consent == nil
            ? nil : try await store.read { try $0.faceGroups.sharing(of: appID) }
        let content = Content(
            purpose: request.purpose, rules: rules,
            expected: ExpectedFace(request.user, device: origin.device),
            signedIn: origin.signedIn,
            consent: request.consent?.naming(search: namesSearch, sharing),
            namesSearch: namesSearch, sharing: sharing, keepsPicture: keepsPicture ? true : nil)
        let record = CaptureRecord(
            id: id, tokenHash: tokenHash, run: origin.run, app: origin.app.id,
            account: origin.signedIn, content: try Self.sealed(content), expiresAt: expiry)
        try await store.write(.process) { tables in
            try admission(tables)
            if let user = record.account, try tables.accounts.standing(of: user) == nil {
                throw SignInStanding.ended
            }
            try tables.captures.insert(record)
        }
    }

    /// - Returns: `nil` if there is no such capture.
    package func find(_ id: CaptureID) async throws -> (CaptureRecord, Content)? {
        guard let record = try await store.read({ try $0.captures.find(id) }) else { return nil }
        return (record, try Self.opened(record))
    }

    // MARK: The server of a live capture

    /// The other server that has the live session of a capture, if one does and lives.
    package func owner(of content: Content) async throws -> String? {
        guard let peers, content.liveUntil != nil, let server = content.server,
            server != peers.name, try await peers.isAlive(server)
        else { return nil }
        return server
    }

    /// Makes this server the one that has the session. ``write(_:_:from:_:countingGuess:)`` stores it.
    package func begun(
        _ record: CaptureRecord, _ content: Content, until deadline: Instant
    ) -> (CaptureRecord, Content) {
        var (begun, content) = (record, content)
        content.liveUntil = deadline
        content.server = peers?.name
        // Changes the record, so that only one of two servers can begin the session. Otherwise, a
        // client could choose between two challenges.
        begun.frames += 1
        return (begun, content)
    }

    /// Opens a session again that ended as `interrupted`. It has judged nothing, and the next one has
    /// a challenge of its own. Returns other records as they are.
    ///
    /// - Throws: ``StoreError`` `.stale` if another server has opened it meanwhile.
    package func reopened(_ record: CaptureRecord, _ content: Content) async throws -> (
        CaptureRecord, Content
    ) {
        let restarts = content.restarts ?? 0
        guard record.state == .failed, content.reasons == [CaptureRefusal.interrupted.rawValue],
            restarts < Self.maxRestarts
        else { return (record, content) }
        var content = content
        (content.reasons, content.liveUntil, content.server) = (nil, nil, nil)
        content.restarts = restarts + 1
        var open = try Self.with(content, in: record)
        open.state = .open
        // Distinguishes the record from that of the lost session.
        open.frames += 1
        let changed = open
        try await store.write(.process) { try $0.captures.reopen(changed, from: record.frames) }
        return (changed, content)
    }

    /// Why a session that has begun is over: it has timed out, or its server is dead.
    ///
    /// - Parameter isHere: Whether this server has the session.
    /// - Returns: the reason; `nil` if the session has not begun or goes on.
    /// - Throws: ``ServerBusy`` if another server has the session and lives.
    package func loss(_ record: CaptureRecord, _ content: Content, isHere: Bool) async throws
        -> String?
    {
        guard record.state == .open, let until = content.liveUntil else { return nil }
        if clock.now >= until { return SessionRefusal.timedOut.rawValue }
        if isHere { return nil }
        // Only if that server dies, the session is lost.
        if try await owner(of: content) != nil { throw ServerBusy() }
        return CaptureRefusal.interrupted.rawValue
    }

    /// The record of a session that has ended. ``write(_:_:from:_:countingGuess:)`` stores it.
    ///
    /// - Parameters:
    ///   - looks: The pictures that it analyzed.
    ///   - reasons: Why it failed; empty if it passed or was canceled.
    package func ended(
        _ record: CaptureRecord, _ content: Content, as state: CaptureRecord.State, looks: Int,
        _ reasons: [String]
    ) -> (CaptureRecord, Content) {
        var (next, content) = (record, content)
        next.state = state
        // The number must only grow. If it could return to that of an earlier session, the server
        // of that session, resuming after a pause, could overwrite this one's record.
        next.frames = record.frames + looks
        if !reasons.isEmpty { content.reasons = reasons }
        return (next, content)
    }

    // MARK: Writing

    /// Writes the state of a session. Records its end in the audit log.
    ///
    /// - Parameters:
    ///   - measured: The measurements for the audit log, with nothing of a picture or a template.
    ///   - countingGuess: Whether the end counts as a wrong face. It is counted in the same
    ///     transaction, so that repeating an end whose outcome is unknown counts nothing twice.
    /// - Throws: ``StoreError`` `.stale` if another server has ended or begun the capture meanwhile.
    package func write(
        _ record: CaptureRecord, _ content: Content, from before: CaptureRecord,
        _ measured: [String: JSONValue], countingGuess: Bool = false
    ) async throws {
        let changed = try Self.with(content, in: record), frames = before.frames, now = clock.now
        guard changed.state != before.state, changed.state != .open else {
            return try await store.write(.process) { try $0.captures.update(changed, from: frames) }
        }
        let event = event(changed, content, measured)
        let count = countingGuess ? try await guess(content, app: record.app) : nil
        do {
            // A picture makes no claim about liveness, so its result need not survive a power loss.
            try await store.write(content.rules.mode == .image ? .process : .always) { tables in
                try tables.captures.update(changed, from: frames)
                try count?(tables)
                try event.isCounted
                    ? tables.audit.count(event.event, at: now)
                    : tables.audit.append(event.event, at: now)
            }
        } catch let error as StoreError where error.code == .stale {
            guard let count else { throw error }
            // This server may have ended it before without learning of it, and has counted then.
            if let (stored, ended) = try await find(record.id), stored.state == changed.state,
                stored.frames == changed.frames, ended.restarts == content.restarts,
                ended.reasons == content.reasons
            {
                return
            }
            // Another server has taken over the session and does not know of the guess, so count it
            // here.
            try await store.write { try count($0) }
            throw error
        }
        noteEnd(changed.state, content)
    }

    private func noteEnd(_ state: CaptureRecord.State, _ content: Content) {
        metrics.count(
            .captures, ["mode": content.rules.mode.rawValue, "result": Self.result(of: state)])
        guard state != .passed else { return }
        for reason in content.reasons ?? [] { metrics.count(.captureRefusals, ["reason": reason]) }
    }

    private static func result(of state: CaptureRecord.State) -> String {
        state == .passed ? "passed" : state == .cancelled ? "cancelled" : "refused"
    }

    private func event(
        _ record: CaptureRecord, _ content: Content, _ measured: [String: JSONValue]
    ) -> (event: AuditEvent, isCounted: Bool) {
        let hasPassed = record.state == .passed
        var detail = measured
        detail["mode"] = .string(content.rules.mode.rawValue)
        if let reasons = content.reasons, !hasPassed {
            detail["reasons"] = .array(reasons.map { .string($0) })
        }
        // Anybody can begin and fail captures of runs without a user, up to the rate limits, so
        // those are only counted.
        let user = content.expected.user ?? content.signedIn
        let isCounted = !hasPassed && user == nil
        if isCounted { detail = detail.filter { ["mode", "reasons"].contains($0.key) } }
        let event = AuditEvent(
            "capture.\(Self.result(of: record.state))", actor: "journey", account: user,
            app: record.app, detail: detail)
        return (event, isCounted)
    }

    // MARK: Content

    static func with(_ content: Content, in record: CaptureRecord) throws -> CaptureRecord {
        var record = record
        record.content = try sealed(content)
        return record
    }

    private static func sealed(_ content: Content) throws -> Sensitive<[UInt8]> {
        Sensitive([UInt8](try JSONEncoder().encode(content)))
    }

    static func opened(_ record: CaptureRecord) throws -> Content {
        try record.content.use { try JSONDecoder().decode(Content.self, from: Data($0)) }
    }
}
