internal import Foundation
package import MienAPI
package import MienCore
package import MienFace
internal import MienIdentity
package import MienJourney
package import MienStore

/// Runs capture sessions: start token, frames, guidance, verdict. A session that passes leaves a
/// sealed template; others leave nothing.
///
/// If a session requires liveness, it runs in the memory of this process from its start to its
/// verdict: see `CaptureService+Live.swift`. If a picture is enough, each picture is judged by
/// itself.
package final class CaptureService: Sendable {
    /// The sealed content of a session's record.
    package struct Content: Codable {
        var purpose: CaptureRequest.Purpose
        var rules: LivenessRules
        /// The user whose face is expected.
        var expected: ExpectedFace
        /// The user who signed in, before or in this run. `nil` for strangers.
        var signedIn: UserID?
        /// The deadline of a live session that has begun.
        var liveUntil: Instant?
        /// The name of the server that has the live session; `nil` if there is only one server.
        var server: String?
        /// How often the session began again after its server was lost.
        var restarts: Int?
        /// A `FaceTemplate` in its binary format, base64url-encoded.
        var template: String?
        /// Templates of the same face for other model packs, in the same format.
        var former: [String]?
        /// The same for the model pack in shadow mode.
        var shadow: String?
        /// The size of the pictures.
        var camera: CameraClass?
        /// The reasons for a failure.
        var reasons: [String]?
        /// The consent without which the session takes no frame.
        var consent: CaptureConsent?
        /// Whether the person has given it.
        var hasConsent: Bool?
        /// Whether its text names the search for duplicates.
        var namesSearch: Bool?
        /// The apps that its text names because they share faces.
        var sharing: FaceSharing?
        /// The rules that apply unless the person omits something; `nil` if they omit nothing.
        var rulesForAll: LivenessRules?
        /// How the screen shows colors, or that the person left them out; `nil` if the client has
        /// not said so, and shows none.
        var light: CaptureLightStyle?
        /// Whether the session keeps a picture of the face, to be compared with a document.
        var keepsPicture: Bool?
        /// The picture, base64url-encoded, once the session has passed.
        var picture: String?
    }

    /// The result of a session that passed.
    package struct Passed: Sendable {
        package let template: FaceTemplate
        /// Templates of the same face for other model packs, to compare it with people who have
        /// not been migrated.
        let former: [FaceTemplate]
        /// The template of the pack in shadow mode, if it could make one.
        let shadow: FaceTemplate?
        let camera: CameraClass
        let app: AppID
        package let mode: LivenessPolicy.Mode
        /// The version of the text that the person consented to in the session.
        package let consentTextVersion: String?
        /// Whether that text names the search for duplicates.
        package let consentsToSearch: Bool
        /// The apps that the person agreed to share the face with.
        package let sharing: FaceSharing?

        /// All templates, that of the pack in use first.
        package var templates: [FaceTemplate] { [template] + former }
    }

    let store: Store
    let records: CaptureRecords
    let faces: FaceService
    let shadow: FaceShadow
    let reader: any LiveFrameReader
    let clock: ServerClock
    let metrics: Metrics
    let live: LiveSessions
    /// The other servers; `nil` if there are none.
    var peers: (any CapturePeers)? { records.peers }
    let replays: ReplayStore
    let server: LivenessPolicy
    let maxLiveFrames: Int
    private let sessionSeconds: Int
    private let maxFrames: Int
    let threshold: MatchScore
    private let turns = KeyedLocks<CaptureID>()

    package init(
        store: Store, gate: LockGate, faces: FaceService, shadow: FaceShadow,
        reader: (any LiveFrameReader)? = nil,
        replays: ReplayStore, clock: ServerClock,
        metrics: Metrics, peers: (any CapturePeers)? = nil,
        configuration: ServerConfiguration
    ) {
        records = CaptureRecords(
            store: store, gate: gate, clock: clock, metrics: metrics, peers: peers)
        self.reader = reader ?? faces
        self.shadow = shadow
        (self.store, self.faces, self.replays, self.clock, self.metrics) = (
            store, faces, replays, clock, metrics
        )
        (sessionSeconds, maxFrames, maxLiveFrames) = (
            configuration.captureSeconds, configuration.captureFrames, configuration.liveFrames
        )
        live = LiveSessions(maxSessions: configuration.liveSessions)
        server = configuration.liveness
        threshold = MatchScore(configuration.faceThreshold)
    }

    /// The number of live captures in progress.
    package var liveCount: Int { live.count }

    /// The mode of the presentation check in live captures.
    package var presentation: PresentationMode { reader.presentation }

    /// - Parameter origin: The run that asks. The request can only make its app's settings
    ///   stricter.
    /// - Parameter keepsPicture: Whether a picture of the face is kept, to be compared with a document.
    /// - Parameter lifetime: The time until it must have ended, instead of `capture.seconds`.
    /// - Parameter admission: Checks in the same transaction whether the capture may begin.
    /// - Returns: The session's ID and its start token, which is shown only once.
    /// - Throws: `OAuthError` `invalid_token` if the account of the signed-in user was deleted.
    package func open(
        _ request: CaptureRequest, for origin: CaptureOrigin, id: CaptureID? = nil,
        keepsPicture: Bool = false, lifetime: Duration? = nil,
        admission: @escaping @Sendable (Tables) throws -> Void = { _ in }
    ) async throws -> (CaptureID, startToken: String) {
        let app = origin.app
        var generator = SystemRandomNumberGenerator()
        let id = id ?? CaptureID.random(using: &generator)
        let token = BearerSecret(for: id, using: &generator)
        let rules = LivenessRules(
            server: server, app: app.settings.liveness, step: request.liveness
        ).raised(for: request.purpose, presentation: presentation)
        // If a picture is enough, the step's time limit applies to the whole capture, because there
        // is no other.
        let seconds =
            rules.mode == .image
            ? min(request.liveness.timeoutSeconds ?? sessionSeconds, sessionSeconds)
            : sessionSeconds
        try await records.open(
            request, for: origin, under: rules, id: id,
            tokenHash: store.keys.hash(ofSecret: token.secret), keepsPicture: keepsPicture,
            until: clock.now + (lifetime ?? .seconds(seconds)), admission: admission)
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
    func frame(_ bytes: [UInt8], of capture: CaptureID) async throws -> CaptureAnswer {
        try await inTurn(capture) {
            let (record, opened) = try await self.current(capture)
            var content = opened
            guard content.rules.mode == .image else { throw Self.liveRequired }
            try self.requireFrames(of: record, content)
            let counted = try await self.count(record, content)
            var next = counted
            let look: FaceService.Look
            do {
                look = try await self.faces.look(
                    at: bytes, minQuality: content.rules.quality,
                    forPacks: self.faces.formerPacks, keeping: content.keepsPicture == true,
                    for: self.share(of: content))
            } catch {
                // The frame was not analyzed: the queue had no turn for it, or the client hung up
                // before its turn.
                if error is ServerBusy || error is CancellationError {
                    try await self.records.write(record, content, from: counted, [:])
                } else {
                    try await self.endIfFull(counted, content)
                }
                throw error
            }
            var guidance: [WireValue<CaptureGuidance>] = look.reasons.map {
                .init(rawValue: Guidance($0).rawValue)
            }
            if let entry = look.entry {
                let before = try content.template.map(Self.template)?.entries ?? []
                if try self.faces.isOnePerson(before + [entry], threshold: self.threshold) {
                    // Keep the best entries if there are more than a template holds.
                    let best = (before + [entry]).sorted { $0.quality > $1.quality }.prefix(
                        FaceTemplate.entryRange.upperBound)
                    content.template = try self.template(of: Array(best))
                    content.former = try self.formerTemplates(of: look.former)
                    content.camera = look.camera
                    content.picture = look.picture.map { Base64URL.encode($0) }
                    let more = await self.shadow.entry(of: bytes, for: self.share(of: content))
                    let known = try content.shadow.map(Self.template)?.entries ?? []
                    content.shadow = self.shadow.template(of: known + (more.map { [$0] } ?? []))
                        .map(Self.text)
                    next.state = .passed
                } else {
                    // Another person is in the picture, so the entries no longer prove anything.
                    (content.template, content.former, content.shadow) = (nil, nil, nil)
                    content.picture = nil
                    Self.fail(&next, &content, .differentFace)
                    guidance = [.known(.differentFace)]
                }
            }
            if next.state == .open, next.frames >= self.maxFrames {
                Self.fail(&next, &content, .tooManyFrames)
            }
            try await self.records.write(next, content, from: counted, [:])
            var answer = self.answer(next, content)
            (answer.guidance, answer.quality, answer.face) = (guidance, look.quality, look.face)
            return answer
        }
    }

    /// Verifies a start token and checks that its session takes frames, before the server reads one.
    ///
    /// - Throws: ``Problem`` if there is no such session, or if it has ended or has taken all its
    ///   frames.
    func authenticate(_ token: String) async throws -> CaptureID {
        let record = try await session(token)
        try requireFrames(of: record, Self.opened(record))
        return record.id
    }

    /// Reads an authenticated capture as it is now.
    func current(_ capture: CaptureID) async throws -> (CaptureRecord, Content) {
        guard let record = try await store.read({ try $0.captures.find(capture) }) else {
            throw Self.unknownToken
        }
        guard clock.now < record.expiresAt else { throw Self.expired }
        return (record, try Self.opened(record))
    }

    /// Checks that a capture takes another frame: while it is open or, for a registration from
    /// pictures, after one passed. Never beyond the limit.
    ///
    /// A live capture counts its frames in memory: see ``LiveSession/admit(_:at:)``.
    private func requireFrames(of record: CaptureRecord, _ content: Content) throws {
        guard content.missingConsent == nil || record.state != .open else {
            throw Self.consentRequired
        }
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
        try await records.write(counted, content, from: record, [:])
        return counted
    }

    /// Ends a capture that is still open after its last frame.
    private func endIfFull(_ record: CaptureRecord, _ content: Content) async throws {
        guard record.state == .open, record.frames >= maxFrames else { return }
        var next = record, content = content
        Self.fail(&next, &content, .tooManyFrames)
        try await records.write(next, content, from: record, [:])
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
            let session = self.session(of: record)
            // Canceling on a server that does not have the session would count no guess.
            if session == nil, record.state == .open,
                try await self.records.owner(of: content) != nil
            {
                throw ServerBusy()
            }
            let (next, ended) = self.records.ended(
                record, content, as: .cancelled, looks: session?.looks ?? 0, [])
            var content = ended
            (content.template, content.former, content.shadow) = (nil, nil, nil)
            content.picture = nil
            try await self.records.write(
                next, content, from: record, session?.measured(at: self.clock.now) ?? [:],
                countingGuess: session?.wasInstructed == true)
            self.live.remove(record.id)
            return self.answer(next, content)
        }
    }

    /// Returns the result of a run's session.
    ///
    /// - Parameters:
    ///   - app: The app with its current settings. A capture that passed under laxer settings does
    ///     not count.
    ///   - use: The purpose for which the caller uses the capture, if it may differ from the one that
    ///     the capture was taken for. A capture that was taken to register a face, under that
    ///     purpose's rules, signs nobody in.
    package func outcome(
        _ id: CaptureID, run: InstanceID, app: AppRecord, for use: CaptureRequest.Purpose? = nil
    ) async throws -> Result<Passed, StepErrorCodeError> {
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
            let required = LivenessRules(server: server, app: app.settings.liveness).raised(
                for: use ?? content.purpose, presentation: presentation)
            guard content.rules.meet(required, isLit: content.light != .off)
            else { return .failure(.init(code: .captureRefused)) }
            return .success(
                Passed(
                    template: template, former: try (content.former ?? []).map(Self.template),
                    shadow: try content.shadow.map(Self.template),
                    camera: content.camera ?? .other, app: record.app, mode: content.rules.mode,
                    consentTextVersion: content.hasConsent == true
                        ? content.consent?.textVersion : nil,
                    consentsToSearch: content.hasConsent == true && content.namesSearch == true,
                    sharing: content.hasConsent == true ? content.sharing : nil))
        }
    }

    /// Deletes a capture, because it is judged only once.
    package func remove(_ id: CaptureID) async throws {
        try await store.write(.process) { try $0.captures.delete(id) }
    }

    // MARK: Shared by both kinds

    /// Runs `body` after all earlier calls for this session.
    func inTurn(
        _ id: CaptureID, _ body: () async throws -> CaptureAnswer
    ) async throws -> CaptureAnswer {
        guard let answer = try await turns.withLock(id, body) else {
            throw Problem(
                .tooManyRequests,
                "Too many frames of this session are waiting. Send the next one after an answer.")
        }
        return answer
    }

    /// Runs `body` with the session of a token after all earlier calls for this session.
    func inTurn(
        _ token: String, _ body: (CaptureRecord, Content) async throws -> CaptureAnswer
    ) async throws -> CaptureAnswer {
        let id = try await session(token).id
        return try await inTurn(id) {
            let record = try await self.session(token)
            return try await body(record, Self.opened(record))
        }
    }

    /// Does the same for a session that no client is calling about.
    func inTurn(_ id: CaptureID, _ body: (CaptureRecord, Content) async throws -> Void) async throws
    {
        _ = try await turns.withLock(id) {
            guard let record = try await self.store.read({ try $0.captures.find(id) }) else {
                return self.live.remove(id)
            }
            try await body(record, Self.opened(record))
        }
    }

    func session(_ token: String) async throws -> CaptureRecord {
        guard let (id, secret) = BearerSecret.parse(token, CaptureKind.self) else {
            throw Problem(.invalidCredentials, "The start token is malformed.")
        }
        let hash = store.keys.hash(ofSecret: secret)
        guard let record = try await store.read({ try $0.captures.find(id) }),
            isSame(record.tokenHash, hash)
        else {
            throw id.text.hasPrefix("\(IdentityAttemptKind.prefix)_")
                ? Self.otherToken : Self.unknownToken
        }
        RequestFacts.note(app: record.app)
        guard clock.now < record.expiresAt else { throw Self.expired }
        return record
    }

    private static let unknownToken = Problem(
        .invalidCredentials, "No capture session has this start token.")
    /// For apps that take every start token for that of a capture.
    private static let otherToken = Problem(
        .invalidCredentials,
        "This start token belongs to a verification session with documents. Use it with /v1/verification/session, not with /v1/capture; POST /v1/verification/selfie returns the start token of its capture."
    )
    private static let expired = Problem(.captureClosed, "The capture session has expired.")

    /// - Parameter session: The session as it is now, if the caller holds it.
    func answer(
        _ record: CaptureRecord, _ content: Content, from session: LiveSession? = nil
    ) -> CaptureAnswer {
        var answer = CaptureAnswer(
            status: .init(rawValue: record.state.rawValue), guidance: [],
            framesLeft: max(0, maxFrames - record.frames), expiresAt: record.expiresAt.milliseconds,
            mode: .init(rawValue: content.rules.mode.rawValue),
            reasons: content.reasons?.map { .init(rawValue: $0) },
            consent: record.state == .open ? content.missingConsent.map(Self.wire) : nil,
            keepsPicture: content.keepsPicture == true ? true : nil)
        guard content.rules.mode != .image else { return answer }
        if record.state == .open, content.liveUntil == nil, live.find(record.id) == nil {
            var all = content.rulesForAll ?? content.rules
            // Without colors or a blink, the mode may be the active one, which has more actions.
            all.mode = content.rules.mode
            let omittable = all.omittable
            answer.omittableActions =
                omittable.isEmpty ? nil : omittable.map { .init(rawValue: $0.rawValue) }
            answer.light = (content.rulesForAll ?? content.rules).offeredLight
        }
        answer.framesLeft = record.state == .open ? maxLiveFrames : 0
        if let session = session ?? live.find(record.id)?.session, record.state == .open {
            session.addState(to: &answer, at: clock.now)
        }
        return answer
    }

    func closed(_ content: Content) -> Problem {
        guard let reason = content.reasons?.first else { return Problem(.captureClosed) }
        if reason == CaptureRefusal.interrupted.rawValue {
            return Problem(
                .captureClosed,
                "The server was restarted during the capture. Start it again with POST /v1/capture/start, or respond to the step and start another capture."
            )
        }
        return Problem(
            .captureClosed,
            "The capture session has failed: \(reason). Respond to the step and start another capture."
        )
    }

    func template(of entries: [FaceTemplate.Entry]) throws -> String {
        Self.text(
            try FaceTemplate(entries: entries, packID: faces.packID, createdAt: clock.now))
    }

    func formerTemplates(of entries: [PackID: FaceTemplate.Entry]) throws -> [String]? {
        guard !entries.isEmpty else { return nil }
        return try entries.map { pack, entry in
            Self.text(try FaceTemplate(entries: [entry], packID: pack, createdAt: clock.now))
        }
    }

    static func text(_ template: FaceTemplate) -> String { Base64URL.encode(template.bytes) }

    static let liveRequired = Problem(
        .liveCaptureRequired,
        "This capture requires a live person. Call POST /v1/capture/start, then send frames as they are taken, as \(FrameBatch.contentType). A single picture is not enough."
    )

    static func opened(_ record: CaptureRecord) throws -> Content {
        try CaptureRecords.opened(record)
    }

    private static func template(_ text: String) throws -> FaceTemplate {
        try FaceTemplate(bytes: Base64URL.decode(text) ?? [])
    }
}

/// A step error as an `Error`, for `Result`.
package struct StepErrorCodeError: Error {
    package let code: StepErrorCode
}
