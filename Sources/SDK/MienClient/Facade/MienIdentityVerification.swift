public import MienAPI
internal import MienCore

/// Receives the progress of a capture. Each capture ends with exactly one of complete, cancel, and
/// fail.
@MainActor
public protocol MienIdentityVerificationDelegate: AnyObject {
    /// The capture passed. Answer the step with `.clientInput`.
    func verificationDidComplete()
    /// The capture was canceled. Answer the step with `.cancel`.
    func verificationDidCancel()
    /// The capture failed. Answer the step with `.fail`.
    func verificationDidFail(with error: MienError)
    /// The guidance after each frame.
    func verificationDidReceiveGuidance(_ answer: CaptureAnswer)
    /// Shows the person a text before the first frame, and returns whether they consent. The
    /// capture is canceled if they do not. A journey that registers a face and has no consent step
    /// asks for this.
    func verificationNeedsConsent(_ text: CaptureConsentText) async -> Bool
}

extension MienIdentityVerificationDelegate {
    public func verificationDidReceiveGuidance(_ answer: CaptureAnswer) {}
    /// Declines, because only the app can ask the person.
    public func verificationNeedsConsent(_ text: CaptureConsentText) async -> Bool { false }
}

/// Captures for identity verification and selfie steps, in the form that mobile apps use. It draws
/// nothing: the app provides the frames and shows the guidance.
@MainActor
public enum MienIdentityVerification {
    private static var client: JourneyClient?
    private static var running: Task<Void, Never>?

    /// The receiver of results. It is held weakly.
    public static weak var delegate: (any MienIdentityVerificationDelegate)?

    /// Sets the server. Needed only without ``Mien/initialize(_:)``, whose server is used
    /// otherwise.
    ///
    /// - Throws: ``MienError`` `.invalidInitializationOptions`.
    public static func initialize(baseUrl: String, clientId: String) throws(MienError) {
        client = try JourneyClient(MienOptions(serverPath: baseUrl, applicationId: clientId))
    }

    /// Sends frames until the session is decided, and reports to ``delegate``. A capture in
    /// progress is canceled.
    ///
    /// - Throws: ``MienError`` `.notInitialized`; `.invalidState` for the start token of a session
    ///   with documents, whose pictures a person takes: use `MienCapture`, or ``DocumentSession``.
    public static func start<Frames: AsyncSequence & Sendable>(startToken: String, frames: Frames)
        throws(MienError)
    where Frames.Element == CaptureFrame {
        let client = try ready()
        guard StartToken(Sensitive(startToken)).kind == .capture else {
            throw MienError(
                .invalidState,
                "This start token belongs to a session with documents. Call start(startToken:) of MienCapture, or use DocumentSession."
            )
        }
        let session = client.captureSession(startToken: Sensitive(startToken))
        running?.cancel()
        running = Task {
            do {
                var last: CaptureAnswer?
                let updates = session.updates(of: frames) { await ask(for: $0) }
                for try await answer in updates {
                    // The first answer of a capture from pictures carries no guidance.
                    if answer.isLive || last != nil {
                        delegate?.verificationDidReceiveGuidance(answer)
                    }
                    last = answer
                }
                try Task.checkCancellation()
                switch last?.status {
                case .known(.passed): delegate?.verificationDidComplete()
                case .known(.cancelled): delegate?.verificationDidCancel()
                default:
                    let reasons =
                        last?.reasons?.map(\.rawValue) ?? last?.guidance.map(\.rawValue) ?? []
                    delegate?.verificationDidFail(
                        with: MienError(
                            .clientResponseNotValid,
                            "The capture did not pass: \(reasons.joined(separator: ", "))"
                        ))
                }
            } catch is CancellationError {
                // The code that canceled the capture reports its end. The session is canceled here,
                // too. If the request fails, the session's deadline ends it.
                _ = try? await Task { try await session.cancel() }.value
            } catch {
                guard !Task.isCancelled else { return }
                delegate?.verificationDidFail(
                    with: error as? MienError
                        ?? MienError(.clientResponseNotValid, "The frames ended with an error."))
            }
            if !Task.isCancelled { running = nil }
        }
    }

    /// The client of the server that is set.
    ///
    /// - Throws: ``MienError`` `.notInitialized`.
    package static func ready() throws(MienError) -> JourneyClient {
        guard let client = client ?? Mien.journeyClient else {
            throw MienError(
                .notInitialized,
                "Call Mien.initialize or MienIdentityVerification.initialize first."
            )
        }
        return client
    }

    private static func ask(for text: CaptureConsentText) async -> Bool {
        await delegate?.verificationNeedsConsent(text) ?? false
    }

    /// Cancels the capture in progress.
    public static func cancel() {
        guard let running else { return }
        running.cancel()
        self.running = nil
        delegate?.verificationDidCancel()
    }
}
