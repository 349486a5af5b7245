internal import Foundation
internal import MienAPI
internal import MienAccess
internal import MienCore
internal import MienFace
internal import MienJourney
internal import MienStore

/// Capture sessions: a start token, frames, guidance, an end. What is kept of one that passes is a
/// template, sealed; of others nothing.
///
/// Where a live person is asked for, the session runs in this process's memory from its start to
/// its verdict: `CaptureService+Live.swift`. Where a picture will do, each one is judged by itself.
final class CaptureService: Sendable {
    /// What is kept in a session's sealed content.
    struct Content: Codable {
        var purpose: CaptureRequest.Purpose
        var rules: LivenessRules
        /// Whose it is to be.
        var expected: ExpectedFace
        /// Until when a live session that has begun may go on.
        var liveUntil: Instant?
        /// `FaceTemplate`'s own form, base64url.
        var template: String?
        /// Why it failed.
        var reasons: [String]?
    }

    /// What a session that passed has shown.
    struct Passed: Sendable {
        let template: FaceTemplate
        let app: AppID
        let mode: LivenessPolicy.Mode
    }

    let store: Store
    let faces: FaceService
    let reader: any LiveFrameReader
    let clock: ServerClock
    let metrics: Metrics
    let live: LiveSessions
    let gate: LockGate
    let replays: ReplayStore
    let server: LivenessPolicy
    let maxLiveFrames: Int
    private let sessionSeconds: Int
    private let maxFrames: Int
    let threshold: MatchScore
    private let turns = KeyedLocks<CaptureID>()

    init(
        store: Store, gate: LockGate, faces: FaceService, reader: (any LiveFrameReader)? = nil,
        replays: ReplayStore, clock: ServerClock,
        metrics: Metrics,
        configuration: ServerConfiguration
    ) {
        self.reader = reader ?? faces
        (self.store, self.gate, self.faces, self.replays, self.clock, self.metrics) = (
            store, gate, faces, replays, clock, metrics
        )
        (sessionSeconds, maxFrames, maxLiveFrames) = (
            configuration.captureSeconds, configuration.captureFrames, configuration.liveFrames
        )
        live = LiveSessions(most: configuration.liveSessions)
        server = configuration.liveness
        threshold = MatchScore(configuration.faceThreshold)
    }

    /// - Parameter context: its app's settings the request can make stricter only.
    /// - Returns: the session's id and its start token, which is told once.
    func open(_ request: CaptureRequest, _ context: EffectContext, id: CaptureID? = nil)
        async throws -> (CaptureID, startToken: String)
    {
        let app = context.app
        var generator = SystemRandomNumberGenerator()
        let id = id ?? CaptureID.random(using: &generator)
        let token = BearerSecret(for: id, using: &generator)
        let rules = LivenessRules(
            server: server, app: app.settings.liveness, step: request.liveness)
        // Where a picture will do, the step's time is that of the whole capture, as there is no
        // other.
        let seconds =
            rules.mode == .image
            ? min(request.liveness.timeoutSeconds ?? sessionSeconds, sessionSeconds)
            : sessionSeconds
        let content = Content(
            purpose: request.purpose, rules: rules,
            expected: ExpectedFace(request.user, device: context.device))
        let record = CaptureRecord(
            id: id, tokenHash: store.keys.hash(ofSecret: token.secret), run: context.run,
            app: app.id, content: try Self.sealed(content),
            expiresAt: clock.now + .seconds(seconds))
        try await store.write(.process) { try $0.captures.insert(record) }
        return (id, token.text.use { $0 })
    }

    /// Takes one picture.
    ///
    /// The frame is counted on disk before it is decoded, so malformed pictures and abandoned
    /// requests use up the session as well.
    ///
    /// - Throws: ``Problem``: `.liveCaptureRequired` if the capture must show a live person,
    ///   `.captureClosed` if it takes no more frames; `ImageError` if the frame is not a picture;
    ///   ``ServerBusy`` or `CancellationError`, in which case the frame does not count.
    func frame(_ bytes: [UInt8], token: String) async throws -> CaptureAnswer {
        try await inTurn(token) { record, content in
            guard content.rules.mode == .image else { throw Self.liveRequired }
            try self.requireFrames(of: record, content)
            let counted = try await self.count(record, content)
            var next = counted, content = content
            let look: FaceService.Look
            do {
                look = try await self.faces.look(
                    at: bytes, minQuality: content.rules.quality, for: self.share(of: content))
            } catch {
                // Never looked at: the queue had no turn for it, or the client hung up before its
                // turn.
                if error is ServerBusy || error is CancellationError {
                    try await self.write(record, content, from: counted, [:])
                } else {
                    try await self.endIfFull(counted, content)
                }
                throw error
            }
            var guidance = look.reasons.map { Guidance($0).rawValue }
            if let entry = look.entry {
                let before = try content.template.map(Self.template)?.entries ?? []
                if try self.faces.isOnePerson(before + [entry], threshold: self.threshold) {
                    // The best ones, if there are more than a template holds.
                    let best = (before + [entry]).sorted { $0.quality > $1.quality }.prefix(
                        FaceTemplate.entryRange.upperBound)
                    content.template = try self.template(of: Array(best))
                    next.state = .passed
                } else {
                    // Somebody else has stepped in: what was captured says nothing any more.
                    content.template = nil
                    Self.fail(&next, &content, .differentFace)
                    guidance = [CaptureRefusal.differentFace.rawValue]
                }
            }
            if next.state == .open, next.frames >= self.maxFrames {
                Self.fail(&next, &content, .tooManyFrames)
            }
            try await self.write(next, content, from: counted, [:])
            var answer = self.answer(next, content)
            (answer.guidance, answer.quality, answer.face) = (guidance, look.quality, look.face)
            return answer
        }
    }

    /// Checks that the session of a token takes frames, before the server reads one.
    ///
    /// - Throws: ``Problem`` if there is no such session, or if it has ended or has taken all its
    ///   frames.
    func check(token: String) async throws {
        let record = try await session(token)
        try requireFrames(of: record, Self.opened(record))
    }

    /// Checks that a capture takes another frame: while it is open or, for a registration from
    /// pictures, after one passed. Never beyond the limit.
    ///
    /// A live capture counts its frames in memory: see ``LiveSession/admit(_:at:)``.
    private func requireFrames(of record: CaptureRecord, _ content: Content) throws {
        let isAdding =
            record.state == .passed && content.purpose == .registration
            && content.rules.mode == .image
        guard record.state == .open || isAdding else { throw closed(content) }
        guard content.rules.mode != .image || record.frames < maxFrames else {
            throw Problem(
                .captureClosed,
                "The capture has taken all \(maxFrames) frames. Respond to the step to continue.")
        }
    }

    /// Counts a frame on disk.
    private func count(_ record: CaptureRecord, _ content: Content) async throws -> CaptureRecord {
        var counted = record
        counted.frames += 1
        try await write(counted, content, from: record, [:])
        return counted
    }

    /// Ends a capture that is still open after its last frame.
    private func endIfFull(_ record: CaptureRecord, _ content: Content) async throws {
        guard record.state == .open, record.frames >= maxFrames else { return }
        var next = record, content = content
        Self.fail(&next, &content, .tooManyFrames)
        try await write(next, content, from: record, [:])
    }

    private static func fail(
        _ record: inout CaptureRecord, _ content: inout Content, _ reason: CaptureRefusal
    ) {
        (record.state, content.reasons) = (.failed, [reason.rawValue])
    }

    func status(token: String) async throws -> CaptureAnswer {
        try await inTurn(token) { record, content in
            if let ended = try await self.endLost(record, content) { return ended }
            return self.answer(record, content)
        }
    }

    func cancel(token: String) async throws -> CaptureAnswer {
        try await inTurn(token) { record, content in
            guard record.state == .open || record.state == .passed else {
                return self.answer(record, content)
            }
            let session = self.live.find(record.id)
            var next = record, content = content
            next.state = .cancelled
            next.frames = session?.looks ?? record.frames
            content.template = nil
            if session?.wasInstructed == true {
                try await self.countGuess(content, app: record.app)
            }
            try await self.write(
                next, content, from: record, session?.measured(at: self.clock.now) ?? [:])
            self.live.remove(record.id)
            return self.answer(next, content)
        }
    }

    /// What the session of a run has come to.
    ///
    /// - Parameter app: with its settings of now: what passed under laxer ones does not count.
    func outcome(_ id: CaptureID, run: InstanceID, app: AppRecord) async throws -> Result<
        Passed, StepErrorCodeError
    > {
        guard let record = try await store.read({ try $0.captures.find(id) }), record.run == run,
            clock.now < record.expiresAt
        else {
            return .failure(.init(code: .captureMissing))
        }
        switch record.state {
        case .open: return .failure(.init(code: .captureUnfinished))
        case .failed, .cancelled: return .failure(.init(code: .captureRefused))
        case .passed:
            let content = try Self.opened(record)
            guard let template = try content.template.map(Self.template) else {
                return .failure(.init(code: .captureMissing))
            }
            guard
                content.rules.mode >= LivenessRules(server: server, app: app.settings.liveness).mode
            else {
                return .failure(.init(code: .captureRefused))
            }
            return .success(Passed(template: template, app: record.app, mode: content.rules.mode))
        }
    }

    /// A capture is judged once, then nothing of it is left.
    func remove(_ id: CaptureID) async throws {
        try await store.write(.process) { try $0.captures.delete(id) }
    }

    // MARK: For both kinds

    /// Runs `body` with the session of a token, as it is once all others have had their turn.
    func inTurn(
        _ token: String, _ body: (CaptureRecord, Content) async throws -> CaptureAnswer
    ) async throws -> CaptureAnswer {
        let id = try await session(token).id
        let answer = try await turns.withLock(id) {
            let record = try await self.session(token)
            return try await body(record, Self.opened(record))
        }
        guard let answer else {
            throw Problem(
                .tooManyRequests,
                "too many frames of this session wait already; send the next one after an answer")
        }
        return answer
    }

    /// The same for sessions that nobody asks for.
    func inTurn(_ id: CaptureID, _ body: (CaptureRecord, Content) async throws -> Void) async throws
    {
        _ = try await turns.withLock(id) {
            guard let record = try await self.store.read({ try $0.captures.find(id) }) else {
                return self.live.remove(id)
            }
            try await body(record, Self.opened(record))
        }
    }

    /// Writes what has become of a session; its end goes into the audit log.
    ///
    /// - Parameter measured: for the audit log: nothing of a picture, nothing of a template.
    func write(
        _ record: CaptureRecord, _ content: Content, from before: CaptureRecord,
        _ measured: [String: JSONValue], trail: CaptureTrailRecord? = nil
    ) async throws {
        let changed = try Self.with(content, in: record), frames = before.frames, now = clock.now
        guard changed.state != before.state, changed.state != .open else {
            return try await store.write(.process) { try $0.captures.update(changed, from: frames) }
        }
        let mode = content.rules.mode.rawValue, hasPassed = changed.state == .passed
        let result = hasPassed ? "passed" : changed.state == .cancelled ? "cancelled" : "refused"
        var detail = measured
        detail["mode"] = .string(mode)
        if let reasons = content.reasons, !hasPassed {
            detail["reasons"] = .array(reasons.map { .string($0) })
        }
        // Of a run that knows no user, anybody can begin and fail as many as the rate limits allow.
        let isCounted = !hasPassed && content.expected.user == nil
        if isCounted { detail = detail.filter { ["mode", "reasons"].contains($0.key) } }
        let event = AuditEvent(
            "capture.\(result)", actor: "journey", account: content.expected.user, app: changed.app,
            detail: detail)
        // A picture is no verdict about anybody being there.
        try await store.write(content.rules.mode == .image ? .process : .always) { tables in
            try tables.captures.update(changed, from: frames)
            if let trail { try tables.trails.insert(trail) }
            try isCounted ? tables.audit.count(event, at: now) : tables.audit.append(event, at: now)
        }
        metrics.count("mien_captures_total", "mode=\"\(mode)\",result=\"\(result)\"")
        if !hasPassed {
            for reason in content.reasons ?? [] {
                metrics.count("mien_capture_refusals_total", "reason=\"\(reason)\"")
            }
        }
    }

    func session(_ token: String) async throws -> CaptureRecord {
        guard let (id, secret) = BearerSecret.parse(token, CaptureKind.self) else {
            throw Problem(.invalidCredentials, "the start token is not one of ours")
        }
        let hash = store.keys.hash(ofSecret: secret)
        guard let record = try await store.read({ try $0.captures.find(id) }),
            isSame(record.tokenHash, hash)
        else {
            throw Problem(.invalidCredentials, "there is no capture session with this start token")
        }
        guard clock.now < record.expiresAt else {
            throw Problem(.captureClosed, "the capture session has expired")
        }
        return record
    }

    func answer(_ record: CaptureRecord, _ content: Content) -> CaptureAnswer {
        var answer = CaptureAnswer(
            status: record.state.rawValue, guidance: [],
            framesLeft: max(0, maxFrames - record.frames), expiresAt: record.expiresAt.milliseconds,
            mode: content.rules.mode.rawValue, reasons: content.reasons)
        guard content.rules.mode != .image else { return answer }
        answer.framesLeft = record.state == .open ? maxLiveFrames : 0
        if let session = live.find(record.id), record.state == .open {
            session.tell(&answer, at: clock.now)
        }
        return answer
    }

    func closed(_ content: Content) -> Problem {
        guard let reason = content.reasons?.first else { return Problem(.captureClosed) }
        if reason == CaptureRefusal.interrupted.rawValue {
            return Problem(
                .captureClosed,
                "the server was restarted while the capture went on; answer the step and start another capture"
            )
        }
        return Problem(
            .captureClosed,
            "the capture session has failed: \(reason); answer the step and start another capture")
    }

    func template(of entries: [FaceTemplate.Entry]) throws -> String {
        Base64URL.encode(
            try FaceTemplate(entries: entries, packID: faces.packID, createdAt: clock.now).bytes)
    }

    static let liveRequired = Problem(
        .liveCaptureRequired,
        "a live person is asked for: POST /v1/capture/start, then frames as they are taken, as \(FrameBatch.contentType); a single picture does not do"
    )

    private static func with(_ content: Content, in record: CaptureRecord) throws -> CaptureRecord {
        var record = record
        record.content = try sealed(content)
        return record
    }

    private static func sealed(_ content: Content) throws -> Sensitive<[UInt8]> {
        Sensitive([UInt8](try JSONEncoder().encode(content)))
    }

    private static func opened(_ record: CaptureRecord) throws -> Content {
        try record.content.use { try JSONDecoder().decode(Content.self, from: Data($0)) }
    }

    private static func template(_ text: String) throws -> FaceTemplate {
        try FaceTemplate(bytes: Base64URL.decode(text) ?? [])
    }
}

struct StepErrorCodeError: Error { let code: StepErrorCode }
