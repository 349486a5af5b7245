internal import MienCore
package import MienDevice
package import MienFace
internal import MienVault

/// Judges faces for `pam_mien`: one person at a time, live, with the check against prints and
/// screens, whatever the settings of other programs say.
package actor DesktopService<Reader: LiveFaceReader> {
    /// A pack's networks, with those against prints and screens.
    package struct Networks: Sendable {
        let reader: Reader
        let matcher: FaceMatcher

        package init(reader: Reader, matcher: FaceMatcher) {
            (self.reader, self.matcher) = (reader, matcher)
        }
    }

    private let faces: FaceAuthService
    private let networks: Networks?
    private let frames: FaceFrames
    private let words: @Sendable (FrameEvent) -> String?
    private let clock = ContinuousClock()
    private let startedAt: ContinuousClock.Instant
    private var limits = DesktopLimits()
    private var isLooking = false

    /// The person performs actions drawn for each attempt. A passive capture would let somebody at
    /// another terminal use the face of a person who only sits there.
    private let settings: VerificationSettings
    /// The longest attempt, with the opening of the camera.
    private static var patience: Duration { .seconds(40) }

    /// - Parameters:
    ///   - faces: The enrolled people. Must not be initialized.
    ///   - networks: `nil` if the pack lacks those against prints and screens: every answer is then
    ///     `no-networks`.
    ///   - frames: The camera.
    ///   - omittedActions: Actions that a person cannot perform, as in `VerificationSettings`.
    ///   - words: The instruction for a frame, as ASCII.
    /// - Throws: `SessionSettingError` for the actions; as `FaceAuthService.initialize(frames:)`.
    package init(
        faces: FaceAuthService, networks: Networks?, frames: FaceFrames,
        omittedActions: Set<LivenessAction> = [],
        words: @escaping @Sendable (FrameEvent) -> String?
    ) async throws {
        settings = try VerificationSettings(
            mode: .livenessActive, timeout: .seconds(30), presentation: .require,
            omittedActions: omittedActions)
        (self.faces, self.networks, self.frames, self.words) = (faces, networks, frames, words)
        startedAt = clock.now
        try await faces.initialize(frames: frames)
    }

    // MARK: Requests

    /// Whether a person can be asked for their face now. Opens no camera.
    package func readiness(of user: String) async -> DesktopAnswer {
        guard networks != nil else { return .unavailable(.noNetworks) }
        if isLooking { return .unavailable(.busy) }
        if let obstacle = await obstacle(to: user) { return .unavailable(obstacle) }
        return .ready
    }

    /// Looks into the camera and judges.
    ///
    /// - Parameters:
    ///   - isWanted: Whether somebody still waits for the answer. Otherwise the camera closes.
    ///   - show: Gets each instruction for the person, once.
    package func check(
        _ user: String, while isWanted: @escaping @Sendable () -> Bool,
        show: @escaping @Sendable (String) -> Void
    ) async -> DesktopAnswer {
        guard let networks else { return .unavailable(.noNetworks) }
        guard !isLooking else { return .unavailable(.busy) }
        isLooking = true
        defer { isLooking = false }
        if let obstacle = await obstacle(to: user) { return .unavailable(obstacle) }
        guard limits.begin(user, at: startedAt.duration(to: clock.now)) else {
            return .unavailable(.tooManyAttempts)
        }
        do {
            guard let look = try await look(PersonName(user), networks, isWanted, show) else {
                return .unavailable(.timedOut)
            }
            if let text = Self.words(for: look.migration) { show(text) }
            return Self.answer(look)
        } catch { return .unavailable(Self.obstacle(error)) }
    }

    /// Unlocks the face of a person who signed in otherwise.
    package func unlock(_ user: String) async -> DesktopAnswer {
        do {
            guard try await isEnrolled(user) else { return .unavailable(.notEnrolled) }
            try await faces.unlock(PersonName(user))
            return .done
        } catch { return .unavailable(Self.obstacle(error)) }
    }

    // MARK: Judging

    private func look(
        _ name: PersonName, _ networks: Networks, _ isWanted: @escaping @Sendable () -> Bool,
        _ show: @escaping @Sendable (String) -> Void
    ) async throws -> FaceAuthentication? {
        let (faces, words, settings, last) = (faces, words, settings, Locked(""))
        return try await withThrowingTaskGroup(of: FaceAuthentication?.self) { group in
            group.addTask {
                var generator = SystemRandomNumberGenerator()
                return try await faces.verify(
                    name, in: faces.openFrames(), reader: networks.reader,
                    matcher: networks.matcher, settings: settings,
                    capture: .random(using: &generator)
                ) { event in
                    guard let text = words(event) else { return }
                    let isNew = last.withLock { last in
                        defer { last = text }
                        return last != text
                    }
                    if isNew { show(text) }
                }
            }
            group.addTask {
                let end = ContinuousClock.now + Self.patience
                while ContinuousClock.now < end, isWanted() {
                    try await Task.sleep(for: .milliseconds(200))
                }
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// The message for a person who was recognized by the template of another model pack, as ASCII.
    ///
    /// - Returns: `nil` if their enrollment stays as it is.
    static func words(for migration: FaceMigrationNotice?) -> String? {
        guard case .migrated = migration?.outcome else { return nil }
        return "Your face is recognized with a new model pack from now on."
    }

    /// Only a live capture of the confirmed face that passed the check against prints and screens is
    /// accepted.
    static func answer(_ look: FaceAuthentication) -> DesktopAnswer {
        let refusals = look.verdict.refusals
        if look.verdict.isAccepted {
            guard look.input != nil else { return .unavailable(.notConfirmed) }
            let passed = look.verdict.checks.contains {
                $0.check == .presentationAttack && $0.refusal == nil && $0.measured != nil
            }
            return passed ? .accepted : .unavailable(.noNetworks)
        }
        if refusals.contains(.noMatch) { return .refused(.noMatch) }
        if refusals.contains(where: \.isOfLiveness) { return .refused(.notLive) }
        return .unavailable(refusals.contains(.cancelled) ? .timedOut : .noFace)
    }

    // MARK: Obstacles

    private func obstacle(to user: String) async -> DesktopAnswer.Obstacle? {
        do {
            guard try await isEnrolled(user) else { return .notEnrolled }
            let name = try PersonName(user)
            guard try await faces.isConfirmed(name) else { return .notConfirmed }
            if try await faces.isLockedOut(name) { return .locked }
            try await frames.check()
            return nil
        } catch { return Self.obstacle(error) }
    }

    /// Names of people ignore case, those of accounts do not.
    private func isEnrolled(_ user: String) async throws -> Bool {
        try await faces.people().contains { $0.text == user }
    }

    private static func obstacle(_ error: any Error) -> DesktopAnswer.Obstacle {
        switch error {
        case let error as FaceAuthError:
            switch error.code {
            case .notEnrolled: .notEnrolled
            case .notConfirmed, .notLive, .otherModelPack: .notConfirmed
            case .lockedOut: .locked
            case .noCamera, .invalidCameraName: .noCamera
            case .tampered: .tampered
            case .alreadyInitialized, .notInitialized, .notLicensed, .otherDevice,
                .bindingUnavailable, .storage:
                .failed
            }
        case let error as FrameSourceError: error.code == .cancelled ? .timedOut : .noCamera
        case is CancellationError: .timedOut
        default: .failed
        }
    }
}
