internal import MienAPI
internal import MienCore
internal import MienFace
internal import MienMedia
internal import MienStore

/// Live captures. The record stores that a capture has begun and, later, how it ended. Everything
/// in between is kept in memory.
extension CaptureService {
    /// Begins a live session for an address and draws its challenge and nonce. A repeated call
    /// returns the same session. One that was lost with its server begins again.
    func start(token: String, client: String) async throws -> CaptureAnswer {
        try await inTurn(token) { record, content in
            let (record, content) = try await self.records.reopened(record, content)
            guard record.state == .open else { throw self.closed(content) }
            guard content.rules.mode != .image, content.missingConsent == nil else {
                return self.answer(record, content)
            }
            if let ended = try await self.endLost(record, content) { return ended }
            if self.live.find(record.id) == nil {
                if content.rules.judgesLight, content.rules.light == .require, content.light == nil
                {
                    return try await self.end(
                        record, content, nil, failed: [CaptureRefusal.lightNotShown.rawValue])
                }
                var generator = SystemRandomNumberGenerator()
                let session = try LiveSession(
                    record.id, for: content.purpose, rules: content.rules,
                    presentation: self.shadow.presentation(besides: self.reader.presentation),
                    challenge: content.rules.challenge(using: &generator),
                    light: content.rules.colors(content.light, using: &generator),
                    nonce: generator.bytes(FrameChain.nonceBytes), at: self.clock.now,
                    until: record.expiresAt, maxFrames: self.maxLiveFrames)
                let (begun, content) = self.records.begun(
                    record, content, until: session.deadline)
                try self.live.add(
                    OpenLiveSession(
                        session: session, record: begun, content: content, client: client),
                    at: self.clock.now)
                do { try await self.records.write(begun, content, from: record, [:]) } catch {
                    self.live.remove(record.id)
                    // Another server has begun the session. The client's next request is passed on
                    // to that server.
                    if (error as? StoreError)?.code == .stale { throw ServerBusy() }
                    throw error
                }
                return self.answer(begun, content)
            }
            return self.answer(record, content)
        }
    }

    /// Takes the next frames of a live session.
    ///
    /// - Parameter body: a ``FrameBatch``.
    /// - Throws: ``Problem``, `.frameOutOfOrder` if other frames are next; `ImageError` for a
    ///   malformed picture, in which case the frames before it were taken.
    func frames(_ body: [UInt8], of capture: CaptureID) async throws -> CaptureAnswer {
        let batch: [LinkedFrame]
        do { batch = try FrameBatch.decode(body) } catch {
            throw Problem(.invalidRequest, error.description)
        }
        return try await inTurn(capture) {
            guard let held = self.live.find(capture) else {
                return try await self.framesWithoutSession(capture)
            }
            var session = held.session
            let (record, content) = (held.record, held.content)
            switch session.admit(batch, at: self.clock.now) {
            case .outOfOrder(let next):
                throw Problem(
                    .frameOutOfOrder,
                    "The next frame is \(next), not \(batch[0].number)\(batch.count > 1 ? " and those after it" : "")."
                )
            case .refused(let reason):
                return try await self.end(record, content, session, failed: [reason])
            case .admitted(let frames):
                // Also after a malformed picture: the frames before it were taken.
                defer { self.live.update(session, record.id) }
                for frame in frames {
                    try await self.look(
                        at: frame, &session, record.id, for: self.share(of: content),
                        self.faces.formerPacks)
                    if session.judgment.end != nil {
                        return try await self.end(record, content, session)
                    }
                }
                return self.answer(record, content, from: session)
            }
        }
    }

    /// Answers a batch for a capture that has no session: it has ended, takes single pictures, or
    /// has not begun.
    private func framesWithoutSession(_ capture: CaptureID) async throws -> CaptureAnswer {
        let (record, content) = try await current(capture)
        guard record.state == .open else { throw closed(content) }
        guard content.rules.mode != .image else {
            throw Problem(
                .unsupportedMediaType,
                "This capture takes single pictures. Send one with content-type: image/jpeg or image/png."
            )
        }
        if let ended = try await endLost(record, content) { return ended }
        throw Problem(.frameOutOfOrder, "The session has not begun. Call POST /v1/capture/start.")
    }

    /// Ends sessions that have timed out or whose client is gone.
    package func sweepLive() async throws {
        var failure: (any Error)?
        for id in live.overdue(at: clock.now) {
            do {
                try await inTurn(id) { record, content in
                    guard let held = self.live.find(id),
                        held.session.isOver(at: self.clock.now)
                    else { return }
                    guard record.state == .open, held.isCurrent(record) else {
                        return self.live.remove(id)
                    }
                    _ = try await self.end(
                        record, content, held.session, failed: [SessionRefusal.timedOut.rawValue])
                }
            } catch { failure = error }
        }
        // A session that cannot be ended does not keep the others from ending.
        if let failure { throw failure }
    }

    /// Returns the session of a capture in this process. Drops one whose capture another server has
    /// begun again.
    func session(of record: CaptureRecord) -> LiveSession? {
        guard let held = live.find(record.id) else { return nil }
        guard held.isCurrent(record) else {
            live.remove(record.id)
            return nil
        }
        return held.session
    }

    /// Ends a session that has begun but is no longer in memory, or that has timed out. Returns
    /// `nil` for other sessions.
    func endLost(_ record: CaptureRecord, _ content: Content) async throws -> CaptureAnswer? {
        let session = session(of: record)
        guard let reason = try await records.loss(record, content, isHere: session != nil) else {
            return nil
        }
        return try await end(record, content, session, failed: [reason])
    }

    /// Analyzes a frame. Its picture is kept only for this call.
    ///
    /// The session takes the frame only if everything about it succeeds, so a client whose request
    /// was cut off or came at a busy moment can send the same frame again.
    private func look(
        at admitted: LiveSession.AdmittedFrame, _ session: inout LiveSession, _ id: CaptureID,
        for share: WorkShare, _ packs: [PackID]
    ) async throws {
        session.willLook(at: clock.now)
        live.heard(id, at: clock.now)
        let frame = admitted.frame
        let reading = try await reader.liveReading(
            of: frame.picture, index: Int(frame.number) - 1,
            at: .milliseconds(Int64(frame.milliseconds)), for: share)
        var next = session
        next.take(admitted, reading.withoutPicture)
        if next.judgment.wantsExtraction {
            var entry = try await reader.entry(of: reading, for: share)
            var former: [PackID: FaceTemplate.Entry] = [:]
            if entry != nil, !packs.isEmpty {
                // Describe every face for all packs, so that the time does not reveal which pack
                // enrolled a user.
                if let found = try await reader.entries(
                    of: reading, forPacks: packs, share: share)
                {
                    former = found
                } else {
                    entry = nil
                }
            }
            next.extracted(
                entry, former: former, camera: CameraClass(of: reading.frame.image))
            if entry != nil, live.find(id)?.content.keepsPicture == true {
                next.keep(
                    StoredPicture.encode(
                        reading.frame.image, maxBytes: FaceService.maxKeptBytes))
            }
            if entry != nil, let other = await shadow.entry(of: frame.picture, for: share) {
                next.extractedInShadow(other)
            }
        }
        session = next
    }

    /// The name of a session's trail. A session that begins again leaves a trail of its own, and is
    /// compared with that of the lost one.
    private static func trailID(_ record: CaptureRecord, _ content: Content) -> CaptureID {
        guard let restarts = content.restarts else { return record.id }
        return CaptureID("\(record.id.text)-\(restarts)") ?? record.id
    }

    /// Writes the verdict and removes the session from memory.
    private func end(
        _ record: CaptureRecord, _ content: Content, _ session: LiveSession?,
        failed reasons: [String]? = nil
    ) async throws -> CaptureAnswer {
        let judged = session?.judgment.end, entries = judged?.entries ?? []
        var refusals = reasons ?? judged?.refusals.map(\.rawValue) ?? []
        if refusals.isEmpty, !(try faces.isOnePerson(entries, threshold: threshold)) {
            refusals = [CaptureRefusal.differentFace.rawValue]
        }
        if refusals.isEmpty, let session,
            !(try await replays.admit(
                session.hashes, trail: session.trail, Self.trailID(record, content)))
        {
            refusals = [SessionRefusal.replayed.rawValue]
        }
        let hasPassed = refusals.isEmpty && !entries.isEmpty
        let (next, ended) = records.ended(
            record, content, as: hasPassed ? .passed : .failed, looks: session?.looks ?? 0,
            refusals)
        var content = ended
        if hasPassed {
            content.template = try template(of: entries)
            content.former = try formerTemplates(of: session?.former ?? [:])
            content.shadow = shadow.template(of: session?.shadow ?? []).map(Self.text)
            content.camera = session?.camera
            content.picture = session?.picture.map { Base64URL.encode($0) }
        } else {
            content.reasons = refusals
        }
        do {
            try await records.write(
                next, content, from: record, session?.measured(at: clock.now) ?? [:],
                countingGuess: !hasPassed && session?.wasInstructed == true)
        } catch let error as StoreError where error.code == .stale {
            // This server was paused, and another one has ended or restarted the capture.
            live.remove(record.id)
            throw error
        }
        live.remove(record.id)
        countPresentation(session?.judgment.end?.checks)
        countLight(session, content.rules)
        shadow.judge(
            session?.judgment.end?.checks, refusals: content.reasons ?? [],
            isAccepted: next.state == .passed, app: record.app, camera: session?.camera)
        var answer = answer(next, content)
        if let session { session.addLastFrame(to: &answer) }
        return answer
    }
}

extension CaptureService {
    /// Counts how the presentation check judged a capture.
    ///
    /// - Parameter checks: `nil` if the capture ended without a verdict of its own.
    private func countPresentation(_ checks: [LivenessCheckResult]?) {
        let mode = reader.presentation
        guard mode != .off, let checks else { return }
        let check = checks.first { $0.check == .presentationAttack }
        let result =
            check?.measured == nil
            ? "unjudged" : (check?.refusal ?? check?.observed) == nil ? "passed" : "refused"
        metrics.count(.presentations, ["mode": mode.rawValue, "result": result])
    }

    /// Counts how the check of the screen's light judged a capture.
    private func countLight(_ session: LiveSession?, _ rules: LivenessRules) {
        guard rules.judgesLight, let mode = rules.light, let checks = session?.judgment.end?.checks
        else { return }
        let check = checks.first { $0.check == .light }
        let result =
            session?.light == nil
            ? "not_shown"
            : check?.measured == nil
                ? "unjudged" : (check?.refusal ?? check?.observed) == nil ? "passed" : "refused"
        metrics.count(.lights, ["mode": mode.rawValue, "result": result])
    }
}

extension FaceReading {
    /// A copy without the picture, which is all that a session needs.
    var withoutPicture: FaceReading {
        let empty = Frame(image: RGBImage(width: 1, height: 1, filledWith: .black), time: time)
        return FaceReading(
            index: index, frame: empty, contentHash: contentHash, brightness: brightness,
            faceCount: faceCount, face: face)
    }
}

extension LiveSession {
    /// Adds the session's state to the answer to its client.
    func addState(to answer: inout CaptureAnswer, at now: Instant) {
        addLastFrame(to: &answer)
        answer.action =
            last == nil ? .known(.keepStill) : last?.action.map { .init(rawValue: $0.rawValue) }
        answer.framesLeft = max(0, maxFrames - looks)
        answer.countdown = Int(max(.zero, deadline - now).milliseconds)
        answer.elapsed = Int((now - began).milliseconds)
        answer.nextFrame = Int(chain.next)
        answer.nonce = Base64URL.encode(nonce)
        if let light {
            answer.light = CaptureLight(
                isRequired: light.mode == .require, isOmittable: nil,
                colors: light.challenge.due(at: now - began))
        }
    }

    /// Adds what the last frame showed.
    func addLastFrame(to answer: inout CaptureAnswer) {
        guard let last else { return }
        answer.guidance = last.guidance.map { [.init(rawValue: $0.rawValue)] } ?? []
        answer.quality = last.quality?.score
        answer.face = last.face.map { [$0.x, $0.y, $0.width, $0.height].map { $0.rounded() } }
        answer.progress = last.progress
    }

    /// Returns the requested actions and the rounded measurements for the audit log. They contain
    /// nothing of a picture and nothing that distinguishes one person from another.
    func measured(at now: Instant) -> [String: JSONValue] {
        let checks = (judgment.end?.checks ?? []).filter { recordsLight || $0.check != .light }
        let numbers = checks.compactMap { check in
            check.measured.map {
                (check.check.rawValue, JSONValue.number(($0 * 100).rounded() / 100))
            }
        }
        var detail: [String: JSONValue] = [
            "frames": .number(Double(looks)),
            "seconds": .number(Double((now - began).milliseconds / 1000)),
            "measured": .object(Dictionary(numbers) { $1 }),
        ]
        if let challenge {
            detail["actions"] = .array(challenge.actions.map { .string($0.rawValue) })
        }
        let judged = checks.compactMap { check in
            check.frames.map { (check.check.rawValue, JSONValue.number(Double($0))) }
        }
        if !judged.isEmpty { detail["judged"] = .object(Dictionary(judged) { $1 }) }
        // Whether a person left the colors out, or the client has none, is not recorded.
        if recordsLight, !checks.isEmpty, !checks.contains(where: { $0.check == .light }) {
            detail["not_run"] = .array([.string(LivenessCheckResult.Check.light.rawValue)])
        }
        let observed = checks.compactMap(\.observed)
        if !observed.isEmpty {
            detail["observed"] = .array(observed.map { .string($0.rawValue) })
        }
        return detail
    }
}
