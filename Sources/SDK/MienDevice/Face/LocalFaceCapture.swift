public import MienCore
public import MienFace
public import MienKeys

/// Captures faces on the device: presents them to `FaceLocalAuthenticator` and captures the
/// owner's for enrollment. It needs a live source, because a photo opens no key.
///
/// ```swift
/// let capture = try LocalFaceCapture(live: .camera(), reader: engine, packID: engine.packID, guide: screen, now: clock)
/// let authenticator = FaceLocalAuthenticator(service: service, owner: ada, …, faces: capture, …)
/// if case .face(let owner) = try await capture.captureOwner() { try await authenticator.enroll(owner, passcode: pin) }
/// ```
///
/// With a live source, the person performs actions drawn at random for each capture. A capture that
/// does not pass is never handed on. The device draws the actions and judges them. This protects
/// against a person in front of the camera, but not against injected frames or code that runs on
/// the device.
public struct LocalFaceCapture<Reader: LiveFaceReader>: FacePresenter {
    private let frames: FaceFrames
    private let reader: Reader
    private let packID: PackID
    private let recognition: VerificationSettings
    private let enrollment: EnrollmentSettings
    private let guide: any FaceCaptureGuide
    private let now: @Sendable () -> Instant
    private let formerPacks: [FormerFacePack]
    private let draw: (@Sendable () -> LivenessChallenge)?

    /// Creates a capture from a camera, a video, or another source that shows a person who can
    /// follow instructions.
    ///
    /// - Parameters:
    ///   - frames: The source, opened for each capture.
    ///   - reader: Runs the networks: a `FaceEngine`.
    ///   - packID: The id of the reader's model pack.
    ///   - recognition: The settings for captures that are to be recognized; `livenessActive` by
    ///     default.
    ///   - enrollment: The settings for the owner's enrollment; `livenessActive` by default.
    ///   - formerPacks: The packs that enrolled people who have not been migrated, as for
    ///     `FaceAuthService`. A face to be recognized is described for all of them.
    ///   - now: Returns the current time, for templates.
    ///   - draw: Draws the challenge in `livenessActive`; by default, the settings draw it at random
    ///     from the actions that they do not omit. Pass anything else only in tests.
    /// - Throws: `SessionSettingError` for the mode `image`, which a presented photo would pass.
    public init(
        live frames: FaceFrames, reader: Reader, packID: PackID,
        recognition: VerificationSettings = .live, enrollment: EnrollmentSettings = .live,
        formerPacks: [FormerFacePack] = [], guide: any FaceCaptureGuide,
        now: @escaping @Sendable () -> Instant,
        draw: (@Sendable () -> LivenessChallenge)? = nil
    ) throws(SessionSettingError) {
        for mode in [recognition.mode, enrollment.mode] where mode == .image {
            throw SessionSettingError(
                setting: "mode", allowed: "liveness_passive or liveness_active for a live source")
        }
        (self.frames, self.reader, self.packID, self.recognition, self.enrollment) = (
            frames, reader, packID, recognition, enrollment
        )
        (self.guide, self.now, self.draw, self.formerPacks) = (guide, now, draw, formerPacks)
    }

    /// Returns why the source cannot be used: there is no camera, or no permission to use it.
    public func obstacle() async throws -> DeviceError? {
        do { try await frames.check() } catch let error as FrameSourceError {
            let error = DeviceError(error)
            return error.code == .biometricNotSupportedOrPermissionDenied ? error : nil
        }
        return nil
    }

    // MARK: Recognition

    /// Captures a face for `FaceLocalAuthenticator`, which decides whose it is.
    ///
    /// - Throws: `DeviceError` `.notRecognized` if no face could be judged in time,
    ///   `.biometricNotSupportedOrPermissionDenied` if there is no camera or no permission to use
    ///   it, `.hardware` if the camera fails; `CancellationError`; errors of the reader.
    public func present(_ request: FaceRequest) async throws -> PresentedFace {
        let ending = try await guided(.recognition(request)) { try await recognize(in: $0) }
        switch ending.how {
        case .captured(let captures): return .face(try face(of: captures, ending.former))
        // Leaving after an instruction counts as a try, however it happens. Otherwise a person
        // could retry for free until the instruction suits a recording.
        case .refused(let refusals) where Task.isCancelled:
            guard ending.wasInstructed else { throw CancellationError() }
            return .refused(refusals, then: .cancel)
        case .refused(let refusals):
            guard ending.wasInstructed || refusals.contains(where: \.isOfLiveness) else {
                throw DeviceError(
                    .notRecognized,
                    "No face could be judged: \(refusals.map(\.rawValue).joined(separator: ", "))")
            }
            return .refused(refusals, then: .tryAgain)
        case .answered(.usePasscode):
            return ending.wasInstructed ? .refused([.cancelled], then: .usePasscode) : .usePasscode
        case .answered(.cancel), .answered(.goOn):
            return ending.wasInstructed ? .refused([.cancelled], then: .cancel) : .cancelled
        }
    }

    private func recognize(in source: some FrameSource) async throws -> Ending {
        let former = FormerDescriptions(formerPacks)
        var describeAgain: FaceVerifier<Reader>.DescribeAgain?
        if !formerPacks.isEmpty { describeAgain = { try await former.describe($0) } }
        let verifier = FaceVerifier(
            reader: reader, settings: recognition, describeAgain: describeAgain, compare: nil)
        var generator = SystemRandomNumberGenerator()
        let updates = try verifier.updates(
            of: source, capture: Self.newCapture(),
            challenge: draw?() ?? recognition.challenge(using: &generator))
        var ending = try await follow(updates, isDrawn: recognition.mode == .livenessActive) {
            verdict in
            if case .accepted(let live, _) = verdict.outcome {
                .captured([live])
            } else {
                .refused(verdict.refusals)
            }
        }
        if case .captured = ending.how {
            ending.former = try await former.templates(createdAt: now())
        }
        return ending
    }

    // MARK: Enrollment

    /// Captures the owner's face, for `FaceLocalAuthenticator.enroll(_:passcode:)`.
    ///
    /// - Throws: `DeviceError` `.biometricNotSupportedOrPermissionDenied`, `.hardware`;
    ///   `CancellationError`; errors of the reader. A refusal is returned, not thrown.
    public func captureOwner() async throws -> CapturedOwner {
        switch try await guided(.enrollment, { try await enroll(in: $0) }).how {
        case .captured(let captures): return .face(try face(of: captures, []))
        case .refused where Task.isCancelled: throw CancellationError()
        case .refused(let refusals): return .refused(refusals)
        case .answered: return .cancelled
        }
    }

    private func enroll(in source: some FrameSource) async throws -> Ending {
        let enroller = FaceEnroller(reader: reader, settings: enrollment)
        var generator = SystemRandomNumberGenerator()
        let updates = try enroller.updates(
            of: source, capture: Self.newCapture(),
            challenge: draw?() ?? enrollment.challenge(using: &generator))
        return try await follow(updates, isDrawn: enrollment.mode == .livenessActive) { verdict in
            if case .captured(let captures) = verdict.outcome {
                .captured(captures)
            } else {
                .refused(verdict.refusals)
            }
        }
    }

    // MARK: Both

    private struct Ending: Sendable {
        enum How: Sendable {
            case captured([LiveCapture])
            case refused([SessionRefusal])
            case answered(FaceCaptureAnswer)
        }
        var how: How
        /// Whether the person had already received a drawn instruction.
        var wasInstructed: Bool
        /// The capture, described for other packs.
        var former: [FaceTemplate] = []
    }

    /// Opens the source and tells the guide when the capture begins and ends.
    private func guided(
        _ purpose: FaceCapturePurpose, _ capture: (any FrameSource) async throws -> Ending
    ) async throws -> Ending {
        let source: any FrameSource
        do { source = try await frames.open() } catch let error as FrameSourceError {
            if error.code == .cancelled { throw CancellationError() }
            throw DeviceError(error)
        }
        await guide.begin(purpose)
        do {
            let ending = try await capture(source)
            switch ending.how {
            case .captured: await guide.end(.captured)
            case .refused(let refusals):
                await guide.end(Task.isCancelled ? .stopped : .refused(refusals))
            case .answered: await guide.end(.stopped)
            }
            return ending
        } catch {
            await guide.end(.stopped)
            throw error
        }
    }

    /// Shows each frame to the guide until there is a verdict or the person stops. The source is
    /// released with `updates`.
    private func follow<Updates: AsyncSequence, Verdict>(
        _ updates: Updates, isDrawn: Bool, judging: (Verdict) -> Ending.How
    ) async throws -> Ending where Updates.Element == LiveUpdate<Verdict> {
        var wasInstructed = false
        do {
            for try await update in updates {
                switch update {
                case .verdict(let verdict):
                    return Ending(how: judging(verdict), wasInstructed: wasInstructed)
                case .frame(let event):
                    if isDrawn, let action = event.action, action != .keepStill {
                        wasInstructed = true
                    }
                    let answer = await guide.show(event)
                    if answer != .goOn {
                        return Ending(how: .answered(answer), wasInstructed: wasInstructed)
                    }
                }
            }
        } catch let error as FrameSourceError {
            guard wasInstructed else { throw DeviceError(error) }
        } catch is CancellationError {
            return Ending(how: .refused([.cancelled]), wasInstructed: wasInstructed)
        }
        return Ending(how: .refused([.sourceEnded]), wasInstructed: wasInstructed)
    }

    private func face(of captures: [LiveCapture], _ former: [FaceTemplate]) throws -> CapturedFace {
        try CapturedFace(captures, packID: packID, createdAt: now(), former: former)
    }

    private static func newCapture() -> CaptureID {
        var generator = SystemRandomNumberGenerator()
        return .random(using: &generator)
    }
}

/// The result of capturing the owner's face.
public enum CapturedOwner: Sendable {
    case face(CapturedFace)
    /// The reasons, never empty; the first is the one to show.
    case refused([SessionRefusal])
    /// The person pressed a button.
    case cancelled
}

extension DeviceError {
    /// Converts the error of a source that has no frames.
    init(_ error: FrameSourceError) {
        let code: Code =
            switch error.code {
            case .notFound, .notPermitted: .biometricNotSupportedOrPermissionDenied
            case .busy, .unreadable, .tooLarge, .stalled, .cancelled, .failed: .hardware
            }
        self.init(code, error.reason)
    }
}
