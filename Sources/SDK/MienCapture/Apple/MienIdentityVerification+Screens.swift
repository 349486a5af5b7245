#if canImport(SwiftUI) && canImport(UIKit)
public import MienClient
public import UIKit

/// Captures with screens, in the form that mobile apps use.
extension MienIdentityVerification {

    /// Shows the screens of a selfie, or of a document and the face, whichever the start token is for,
    /// and reports to ``MienIdentityVerification/delegate``.
    ///
    /// - Parameter presenter: The controller to present over; the topmost one by default.
    /// - Throws: ``MienError`` `.notInitialized`.
    public static func start(
        startToken: String, options: CaptureOptions = CaptureOptions(),
        from presenter: UIViewController? = nil
    ) throws(MienError) {
        let client = try ready()
        _ = try present(startToken, client, options, presenter) { outcome in
            switch outcome {
            case .completed: delegate?.verificationDidComplete()
            case .canceled: delegate?.verificationDidCancel()
            case .failed(let error): delegate?.verificationDidFail(with: error)
            }
        }
    }

    /// Shows the screens, and returns how the capture ended. Canceling the task cancels the capture and
    /// closes the screens.
    ///
    /// - Throws: ``MienError`` `.notInitialized`, or why it did not pass; `CancellationError` if the
    ///   person or the task canceled.
    public static func capture(
        startToken: String, options: CaptureOptions = CaptureOptions(),
        from presenter: UIViewController? = nil
    ) async throws {
        let client = try ready(), shown = ShownScreens()
        let outcome = try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation {
                (done: CheckedContinuation<CaptureOutcome, any Error>) in
                do {
                    shown.controller = try present(startToken, client, options, presenter) {
                        done.resume(returning: $0)
                    }
                } catch { done.resume(throwing: error) }
            }
        } onCancel: {
            Task { await shown.controller?.cancel() }
        }
        switch outcome {
        case .completed: return
        case .canceled: throw CancellationError()
        case .failed(let error): throw error
        }
    }

    private static func present(
        _ startToken: String, _ client: JourneyClient, _ options: CaptureOptions,
        _ presenter: UIViewController?, _ onEnd: @escaping @MainActor (CaptureOutcome) -> Void
    ) throws(MienError) -> MienCaptureViewController {
        guard let below = presenter ?? topmost else {
            throw MienError(
                .invalidState, "No window is on the screen. Pass the controller to present over.")
        }
        let screens = MienCaptureViewController(
            startToken: startToken, client: client, options: options, onEnd: onEnd)
        below.present(screens, animated: true)
        return screens
    }

    private static var topmost: UIViewController? {
        let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
        let active = scenes.first { $0.activationState == .foregroundActive } ?? scenes.first
        var top = active?.keyWindow?.rootViewController
        while let next = top?.presentedViewController { top = next }
        return top
    }
}

/// The screens that a task has opened.
@MainActor private final class ShownScreens {
    var controller: MienCaptureViewController?
}
#endif
