public import MienAPI
internal import MienCore

/// Told how a capture goes: each exactly one of complete, cancel and fail.
@MainActor
public protocol MienIdentityVerificationDelegate: AnyObject {
    /// Answer the step with `.clientInput`.
    func verificationDidComplete()
    /// Answer the step with `.cancel`.
    func verificationDidCancel()
    /// Answer the step with `.fail`.
    func verificationDidFail(with error: MienError)
    /// What the person should do, after each frame.
    func verificationDidReceiveGuidance(_ answer: CaptureAnswer)
}

extension MienIdentityVerificationDelegate {
    public func verificationDidReceiveGuidance(_ answer: CaptureAnswer) {}
}

/// Captures of identity verification and selfie steps in the form that mobile apps use. Draws
/// nothing: the app brings the frames and shows the guidance.
@MainActor
public enum MienIdentityVerification {
    private static var client: JourneyClient?
    private static var running: Task<Void, Never>?

    /// Held weakly.
    public static weak var delegate: (any MienIdentityVerificationDelegate)?

    /// Only needed without ``Mien/initialize(_:)``, whose server it is otherwise.
    ///
    /// - Throws: ``MienError`` `.invalidInitializationOptions`.
    public static func initialize(baseUrl: String, clientId: String) throws(MienError) {
        client = try JourneyClient(MienOptions(serverPath: baseUrl, applicationId: clientId))
    }

    /// Sends frames until the session is decided, and tells ``delegate``. A capture that is under
    /// way is given up.
    ///
    /// - Throws: ``MienError`` `.notInitialized`.
    public static func start<Frames: AsyncSequence & Sendable>(startToken: String, frames: Frames)
        throws(MienError)
    where Frames.Element == CaptureFrame {
        guard let client = client ?? Mien.journeyClient else {
            throw MienError(
                .notInitialized, "call Mien.initialize or MienIdentityVerification.initialize first"
            )
        }
        let session = client.captureSession(startToken: Sensitive(startToken))
        running?.cancel()
        running = Task {
            do {
                var last: CaptureAnswer?
                for try await answer in session.updates(of: frames) {
                    // Of the start of a capture that takes pictures there is nothing to tell.
                    if answer.isLive || last != nil {
                        delegate?.verificationDidReceiveGuidance(answer)
                    }
                    last = answer
                }
                try Task.checkCancellation()
                switch last?.status {
                case "passed": delegate?.verificationDidComplete()
                case "cancelled": delegate?.verificationDidCancel()
                default:
                    delegate?.verificationDidFail(
                        with: MienError(
                            .clientResponseNotValid,
                            "the capture did not pass: \((last?.reasons ?? last?.guidance ?? []).joined(separator: ", "))"
                        ))
                }
            } catch is CancellationError {
                // Its end was told by whoever cancelled it. The session is ended, too; if that does
                // not get through, its deadline does it.
                _ = try? await Task { try await session.cancel() }.value
            } catch {
                guard !Task.isCancelled else { return }
                delegate?.verificationDidFail(
                    with: error as? MienError
                        ?? MienError(.clientResponseNotValid, "the frames ended with an error"))
            }
            if !Task.isCancelled { running = nil }
        }
    }

    /// Ends the capture that is under way.
    public static func cancel() {
        guard let running else { return }
        running.cancel()
        self.running = nil
        delegate?.verificationDidCancel()
    }
}
