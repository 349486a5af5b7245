internal import Foundation
internal import MienAPI
internal import MienCore
internal import MienFace
internal import MienJourney
internal import MienStore

/// Capture sessions: a start token, frames, guidance, an end. What is kept of a frame that passes is a template, sealed; of others nothing.
///
/// For now a session passes with the first frame of sufficient quality; whether a live person shows it is not asked yet.
final class CaptureService: Sendable {
    /// What is kept in a session's sealed content.
    private struct Content: Codable {
        var purpose: CaptureRequest.Purpose.RawValue
        var leastQuality: Int
        /// `FaceTemplate`'s own form, base64url.
        var template: String?
    }

    /// What a session that passed has shown.
    struct Passed: Sendable {
        let template: FaceTemplate
        let app: AppID
    }

    private let store: Store
    private let faces: FaceService
    private let clock: ServerClock
    private let sessionSeconds: Int
    private let mostFrames: Int
    private let leastQuality: Int
    private let threshold: MatchScore
    private let turns = KeyedLocks<CaptureID>()

    init(store: Store, faces: FaceService, clock: ServerClock, configuration: ServerConfiguration) {
        (self.store, self.faces, self.clock) = (store, faces, clock)
        (sessionSeconds, mostFrames, leastQuality) = (configuration.captureSeconds, configuration.captureFrames, configuration.faceQuality)
        threshold = MatchScore(configuration.faceThreshold)
    }

    /// - Returns: the session's id and its start token, which is told once.
    func open(_ request: CaptureRequest, run: InstanceID, app: AppID, id: CaptureID? = nil) async throws -> (CaptureID, startToken: String) {
        var generator = SystemRandomNumberGenerator()
        let id = id ?? CaptureID.random(using: &generator)
        let token = BearerSecret(for: id, using: &generator)
        let seconds = min(request.liveness.timeoutSeconds ?? sessionSeconds, sessionSeconds)
        let content = Content(purpose: request.purpose.rawValue, leastQuality: max(leastQuality, request.liveness.quality ?? 0))
        let record = CaptureRecord(
            id: id, tokenHash: store.keys.hash(ofSecret: token.secret), run: run, app: app, content: try Self.sealed(content),
            expiresAt: clock.now + .seconds(seconds))
        try await store.write(.process) { try $0.captures.insert(record) }
        return (id, token.text.use { $0 })
    }

    /// Takes one frame.
    ///
    /// - Throws: ``Problem``; `ImageError` for what is no picture.
    func frame(_ bytes: [UInt8], token: String) async throws -> CaptureAnswer {
        let id = try await session(token).id
        let answer = try await turns.withLock(id) {
            // Read again: it may have changed while others had their turn.
            let record = try await self.session(token)
            var content = try Self.opened(record)
            let isAdding = record.state == .passed && content.purpose == CaptureRequest.Purpose.registration.rawValue
            guard record.state == .open || isAdding else { throw Problem(.captureClosed) }
            var next = record
            next.frames += 1
            let look = try await self.faces.look(at: bytes, leastQuality: content.leastQuality)
            var guidance = look.reasons.map(Self.word)
            if let entry = look.entry {
                let before = try content.template.map(Self.template)?.entries ?? []
                if try self.faces.isOnePerson(before + [entry], threshold: self.threshold) {
                    // The best ones, if there are more than a template holds.
                    let best = (before + [entry]).sorted { $0.quality > $1.quality }.prefix(FaceTemplate.entryRange.upperBound)
                    let template = try FaceTemplate(entries: Array(best), packID: self.faces.packID, createdAt: self.clock.now)
                    content.template = Base64URL.encode(template.bytes)
                    next.state = .passed
                } else {
                    // Somebody else has stepped in: what was captured says nothing any more.
                    content.template = nil
                    next.state = .failed
                    guidance = ["different_face"]
                }
            }
            if next.state == .open, next.frames >= self.mostFrames { next.state = .failed }
            next.content = try Self.sealed(content)
            let changed = next
            try await self.store.write(.process) { try $0.captures.update(changed, from: record.frames) }
            return CaptureAnswer(
                status: next.state.rawValue, guidance: guidance, quality: look.quality, face: look.face,
                framesLeft: max(0, self.mostFrames - next.frames), expiresAt: next.expiresAt.milliseconds)
        }
        guard let answer else { throw Problem(.tooManyRequests, "too many frames of this session wait already; send the next one after an answer") }
        return answer
    }

    /// - Throws: ``Problem`` unless a session with this token takes frames.
    func check(token: String) async throws {
        let record = try await session(token)
        guard record.state == .open || record.state == .passed else { throw Problem(.captureClosed) }
    }

    func status(token: String) async throws -> CaptureAnswer { answer(try await session(token)) }

    func cancel(token: String) async throws -> CaptureAnswer {
        let record = try await session(token)
        guard record.state == .open || record.state == .passed else { return answer(record) }
        var next = record
        next.state = .cancelled
        next.content = Sensitive([])
        let changed = next
        try await store.write(.process) { try $0.captures.update(changed, from: record.frames) }
        return answer(next)
    }

    /// What the session of a run has come to.
    func outcome(_ id: CaptureID, run: InstanceID) async throws -> Result<Passed, StepErrorCodeError> {
        guard let record = try await store.read({ try $0.captures.find(id) }), record.run == run, clock.now < record.expiresAt else {
            return .failure(.init(code: .captureMissing))
        }
        switch record.state {
        case .open: return .failure(.init(code: .captureUnfinished))
        case .failed, .cancelled: return .failure(.init(code: .captureRefused))
        case .passed:
            guard let template = try Self.opened(record).template.map(Self.template) else { return .failure(.init(code: .captureMissing)) }
            return .success(Passed(template: template, app: record.app))
        }
    }

    /// A capture is judged once, then nothing of it is left.
    func remove(_ id: CaptureID) async throws { try await store.write(.process) { try $0.captures.delete(id) } }

    private func session(_ token: String) async throws -> CaptureRecord {
        guard let (id, secret) = BearerSecret.parse(token, CaptureKind.self) else {
            throw Problem(.invalidCredentials, "the start token is not one of ours")
        }
        let hash = store.keys.hash(ofSecret: secret)
        guard let record = try await store.read({ try $0.captures.find(id) }), isSame(record.tokenHash, hash) else {
            throw Problem(.invalidCredentials, "there is no capture session with this start token")
        }
        guard clock.now < record.expiresAt else { throw Problem(.captureClosed, "the capture session has expired") }
        return record
    }

    private func answer(_ record: CaptureRecord) -> CaptureAnswer {
        CaptureAnswer(
            status: record.state.rawValue, guidance: [], framesLeft: max(0, mostFrames - record.frames), expiresAt: record.expiresAt.milliseconds)
    }

    private static func sealed(_ content: Content) throws -> Sensitive<[UInt8]> { Sensitive([UInt8](try JSONEncoder().encode(content))) }

    private static func opened(_ record: CaptureRecord) throws -> Content {
        try record.content.use { try JSONDecoder().decode(Content.self, from: Data($0)) }
    }

    private static func template(_ text: String) throws -> FaceTemplate { try FaceTemplate(bytes: Base64URL.decode(text) ?? []) }

    /// The words that the field's products share.
    static func word(_ reason: QualityReason) -> String {
        switch reason {
        case .noFace: "face_not_found"
        case .multipleFaces: "multiple_faces"
        case .tooSmall: "face_too_far"
        case .tooLarge: "face_too_close"
        case .offCentre, .notFrontal: "misaligned_face"
        case .tooDark: "too_dark"
        case .tooBright: "too_bright"
        case .lowContrast: "low_contrast"
        case .blurred: "too_much_movement"
        case .eyesClosed: "eyes_closed"
        case .occluded: "obscured_face"
        }
    }
}

struct StepErrorCodeError: Error { let code: StepErrorCode }
