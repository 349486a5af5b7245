public import MienCore
public import MienFace
public import MienVault

extension FaceAuthService {
    /// Verifies that a person is in front of a source of frames. Returns an input that unlocks
    /// their OTP tokens once, within 60 s, if the mode checks for liveness and their enrollment is
    /// confirmed.
    ///
    /// | mode | the person | input |
    /// |---|---|---|
    /// | `livenessActive` | performs actions drawn at random for each attempt | yes |
    /// | `livenessPassive` | keeps still and blinks, which a recording can do, too | yes |
    /// | `image` | shows one good picture, possibly a photo | never |
    ///
    /// A person whom one of the service's former packs enrolled is compared with that pack, and may be
    /// migrated: see ``FaceAuthentication/migration``.
    ///
    /// In the liveness modes, attempts are counted before they begin. Five in a row that showed
    /// another person, were not live, or were left after an instruction lock the face, see
    /// ``unlock(_:)``. The mode `image` opens nothing, so its attempts neither count nor reset the
    /// count.
    /// - Parameters:
    ///   - frames: The frames, usually from ``openFrames(longestSide:)``.
    ///   - reader: The face pipeline.
    ///   - matcher: The matcher of the service's model pack.
    ///   - settings: The settings, by default those of a live source. A `VerificationSettings`
    ///     without a mode is passive, as in the guide.
    ///   - capture: The id of the capture in the verdict.
    /// - Throws: as ``face(of:)``; ``FaceAuthError`` `.notInitialized`, `.notLicensed`, `.tampered`,
    ///   `.lockedOut`; `FrameSourceError` and errors of the reader. A refusal is returned, not
    ///   thrown.
    public func verify(
        _ name: PersonName, in frames: some FrameSource, reader: some LiveFaceReader,
        matcher: FaceMatcher,
        settings: VerificationSettings = .live, capture: CaptureID,
        onFrame: (@Sendable (FrameEvent) async -> Void)? = nil
    ) async throws -> FaceAuthentication {
        try requireInitialized()
        // Checked before the stored face is opened.
        try requirePermission()
        let enrolled = try await enrolled(name)
        guard settings.mode != .image else {
            return try await FaceAuthentication.run(
                enrolled, of: name, in: frames, reader: reader, matcher: matcher,
                settings: settings, challenge: nil, capture: capture,
                former: formerPack(of: enrolled), onFrame: onFrame)
        }
        var look = try await counted(
            enrolled, of: name, in: frames, reader: reader, matcher: matcher, settings: settings,
            capture: capture, onFrame: onFrame)
        // Asked last, so that an enrollment that changed meanwhile opens nothing.
        if look.input != nil, try await !isConfirmed(enrolled, of: name) {
            look = FaceAuthentication(verdict: look.verdict, input: nil)
        }
        if case .accepted(let live, let score?) = look.verdict.outcome,
            let new = try? FaceTemplate(entries: [live.entry], packID: packID, createdAt: now())
        {
            look.migration = await recognized(name, by: enrolled, as: new, score: score)
        }
        return look
    }

    private func counted(
        _ enrolled: FaceTemplate, of name: PersonName, in frames: some FrameSource,
        reader: some LiveFaceReader, matcher: FaceMatcher,
        settings: VerificationSettings, capture: CaptureID,
        onFrame: (@Sendable (FrameEvent) async -> Void)?
    ) async throws -> FaceAuthentication {
        let mode = try await mode(of: enrolled, name)
        guard try lockouts.begin(mode) else { throw Self.lockedOut }
        let isDrawn = settings.mode == .livenessActive, wasInstructed = Locked(false),
            look: FaceAuthentication
        var generator = SystemRandomNumberGenerator()
        let challenge = isDrawn ? draw?() ?? settings.challenge(using: &generator) : nil
        do {
            look = try await FaceAuthentication.run(
                enrolled, of: name, in: frames, reader: reader, matcher: matcher,
                settings: settings, challenge: challenge, capture: capture, mode: mode,
                former: formerPack(of: enrolled)
            ) { event in
                if isDrawn, let action = event.action, action != .keepStill {
                    wasInstructed.withLock { $0 = true }
                }
                await onFrame?(event)
            }
        } catch {
            // Leaving after an instruction counts as a try. Otherwise a person could retry until
            // the instruction suits a recording.
            if !wasInstructed.withLock({ $0 }) { try? lockouts.abandon(mode) }
            throw error
        }
        if look.verdict.isAccepted {
            try lockouts.succeed(mode)
        } else if !wasInstructed.withLock({ $0 }),
            !look.verdict.refusals.contains(where: { $0 == .noMatch || $0.isOfLiveness })
        {
            try lockouts.abandon(mode)
        }
        return look
    }

    private static let lockedOut = FaceAuthError(
        .lockedOut,
        "The face was wrong or not live \(AuthenticatorState.maxFaceFailures) times in a row. Unlock it "
            + "with unlock(_:), and then activate it with the PIN.")

    /// Whether this person's face is locked after five failed tries.
    ///
    /// - Throws: as ``face(of:)``.
    public func isLockedOut(_ name: PersonName) async throws -> Bool {
        try lockouts.isLockedOut(try await mode(of: enrolled(name), name))
    }

    /// Unlocks a locked face. Its face mode ends everywhere first; activating it again needs the
    /// token's PIN. Does nothing if the face is not locked.
    ///
    /// - Throws: as ``face(of:)``.
    public func unlock(_ name: PersonName) async throws {
        let mode = try await mode(of: enrolled(name), name)
        guard try lockouts.isLockedOut(mode) else { return }
        try await faceModes?.deactivateFaceMode(of: mode.person)
        try lockouts.succeed(mode)
    }
}
