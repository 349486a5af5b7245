internal import MienAPI
internal import MienClient
internal import MienCore
internal import MienIdentity

/// Leads a person through a capture: shows one screen after the other, and acts on what the person
/// chooses. Knows no view.
@MainActor
final class CaptureFlow {
    let texts: CaptureTexts
    let camera: any CaptureCamera
    let country: String?
    private let client: JourneyClient
    private let token: Sensitive<String>
    private let clock = ContinuousClock()

    private(set) var screen: CaptureScreen { didSet { if screen != oldValue { onChange(screen) } } }
    /// Called with each new screen.
    var onChange: (CaptureScreen) -> Void = { _ in }
    /// Called when a picture was taken or a capture passed.
    var onSuccess: () -> Void = {}

    /// The person asked the system for less motion: colors of the screen are gentle at first.
    var prefersGentleColors = false
    /// The colors of the capture in progress.
    var colors = LightShow()

    /// The screen that waits for a choice.
    private var waiter: CheckedContinuation<CaptureChoice, Never>?
    /// Takes choices while a camera runs.
    private var listener: ((CaptureChoice) -> Void)?
    private var isDismissed = false

    init(
        startToken: Sensitive<String>, client: JourneyClient, camera: any CaptureCamera,
        texts: CaptureTexts, country: String?
    ) {
        (token, self.client, self.camera) = (startToken, client, camera)
        (self.texts, self.country) = (texts, country)
        screen = .waiting(texts["capture_loading"])
    }

    // MARK: What the person does

    func choose(_ choice: CaptureChoice) {
        if let waiter {
            self.waiter = nil
            waiter.resume(returning: choice)
        } else {
            listener?(choice)
        }
    }

    /// The person left the screens without a button.
    func dismiss() {
        isDismissed = true
        choose(.stop)
    }

    /// Shows a screen and waits for a choice.
    func ask(_ screen: CaptureScreen) async -> CaptureChoice {
        // The screens are gone, so nobody could choose.
        if isDismissed { return .stop }
        self.screen = screen
        return await withCheckedContinuation { waiter = $0 }
    }

    func ask(_ page: CapturePage) async -> CaptureChoice { await ask(.page(page)) }

    func show(_ screen: CaptureScreen) { self.screen = screen }
    func showWaiting(_ text: String = "capture_loading") { screen = .waiting(texts[text]) }

    /// Runs work beside a camera's screen. A choice that `handle` takes is passed to it; `true` ends
    /// the work.
    func whileShowing<Output: Sendable>(
        _ stage: CaptureScreen, handle: @escaping (CaptureChoice) -> Bool,
        _ work: @escaping @MainActor () async throws -> Output
    ) async throws -> Output {
        if isDismissed { throw CancellationError() }
        screen = stage
        let task = Task { try await work() }
        listener = { if handle($0) { task.cancel() } }
        defer { listener = nil }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    var now: Duration { clock.now - .mien }
    func pause(_ time: Duration) async { try? await Task.sleep(for: time) }

    // MARK: Buttons

    func button(
        _ text: String, _ choice: CaptureChoice, _ role: CaptureButton.Role = .quiet
    ) -> CaptureButton {
        CaptureButton(label: texts[text], choice: choice, role: role)
    }
    var cancelButton: CaptureButton { button("button_cancel", .cancel) }

    // MARK: Running

    /// Runs until the capture has ended.
    func run() async -> CaptureOutcome {
        do {
            switch StartToken(token).kind {
            case .capture: return try await faceOutcome()
            case .documents:
                return try await documents(client.documentSession(startToken: token))
            }
        } catch let error as MienError { return .failed(error) } catch {
            // Only a canceled task.
            return .canceled
        }
    }

    private func faceOutcome() async throws -> CaptureOutcome {
        switch try await face(client.captureSession(startToken: token)) {
        case .passed:
            return .completed
        case .canceled: return .canceled
        case .failed(let reasons):
            return .failed(
                MienError(
                    .clientResponseNotValid,
                    "The capture did not pass: \(reasons.joined(separator: ", "))"))
        }
    }

    /// Sends a request. Without a connection, says so until the person tries again or cancels.
    ///
    /// - Throws: ``MienError`` of a refusal; `CancellationError` if the person cancels.
    func request<Answer: Sendable>(_ send: () async throws -> Answer) async throws -> Answer {
        while true {
            do { return try await send() } catch let error as MienError
                where error.code == .networkError || error.isPassing
            {
                let isOffline = error.code == .networkError
                let choice = await ask(
                    CapturePage(
                        sign: .failure, title: texts["capture_error_title"],
                        lines: [texts[isOffline ? "refusal_network_error" : "capture_error_text"]],
                        buttons: [button("button_retry", .retry, .primary), cancelButton]))
                guard choice == .retry else { throw CancellationError() }
                showWaiting()
            }
        }
    }
}

extension ContinuousClock.Instant {
    /// A fixed moment to count from.
    fileprivate static let mien = ContinuousClock.now
}

extension MienError {
    /// Whether the same request may succeed later.
    fileprivate var isPassing: Bool {
        problem?.code == .tooManyRequests || problem?.code == .unavailable
    }
}
