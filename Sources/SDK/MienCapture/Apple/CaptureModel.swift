#if canImport(SwiftUI) && canImport(UIKit)
internal import Combine
internal import Foundation
internal import MienClient
internal import MienCore
internal import UIKit

/// Connects the flow to views, a screen reader, and the phone's motor.
@MainActor
final class CaptureModel: ObservableObject {
    @Published private(set) var screen: CaptureScreen
    /// The choices on the screen, before the person goes on.
    @Published var country: String?
    @Published var type: DocumentChoices.Kind?
    @Published var omitted: Set<OmissionChoices.Movement> = []
    let texts: CaptureTexts
    let camera: any CaptureCamera
    private let flow: CaptureFlow?
    private let refusal: MienError?
    private let onEnd: @MainActor (CaptureOutcome) -> Void
    private var hasBegun = false
    private var said = ""

    init(
        startToken: String, client: JourneyClient?, options: CaptureOptions,
        onEnd: @escaping @MainActor (CaptureOutcome) -> Void
    ) {
        texts = CaptureTexts(
            preferred: options.language.map { [$0] } ?? Locale.preferredLanguages,
            own: options.texts)
        camera = options.camera ?? SystemCamera()
        self.onEnd = onEnd
        var flow: CaptureFlow?, refusal: MienError?
        do throws(MienError) {
            let client = if let client { client } else { try MienIdentityVerification.ready() }
            flow = CaptureFlow(
                startToken: Sensitive(startToken), client: client, camera: camera, texts: texts,
                country: options.country ?? Locale.current.region?.identifier)
        } catch { refusal = error }
        (self.flow, self.refusal) = (flow, refusal)
        screen = flow?.screen ?? .waiting(texts["capture_loading"])
    }

    func run() async {
        guard !hasBegun else { return }
        hasBegun = true
        guard let flow else {
            return onEnd(.failed(refusal ?? MienError(.notInitialized, "No server is set.")))
        }
        flow.prefersGentleColors = UIAccessibility.isReduceMotionEnabled
        flow.onChange = { [weak self] in self?.show($0) }
        flow.onSuccess = { UINotificationFeedbackGenerator().notificationOccurred(.success) }
        let outcome = await flow.run()
        camera.close()
        if case .failed = outcome { UINotificationFeedbackGenerator().notificationOccurred(.error) }
        onEnd(outcome)
    }

    func choose(_ choice: CaptureChoice) {
        switch choice {
        case .openSettings:
            if let url = URL(string: UIApplication.openSettingsURLString) {
                UIApplication.shared.open(url)
            }
        case .takePicture:
            UIImpactFeedbackGenerator().impactOccurred()
            flow?.choose(choice)
        default: flow?.choose(choice)
        }
    }

    /// The screens have disappeared.
    func dismiss() { flow?.dismiss() }

    private func show(_ next: CaptureScreen) {
        if case .documents(let choices) = next {
            country = choices.country
            let kinds = choices.country.flatMap { choices.kinds[$0] } ?? []
            type = kinds.first { $0.type == choices.type }
        }
        if case .omissions = next { omitted = [] }
        screen = next
        // Words that change while a camera runs are spoken; pages are read by themselves.
        let words = next.announcement
        guard words != said else { return }
        said = words
        switch next {
        case .face, .document: UIAccessibility.post(notification: .announcement, argument: words)
        case .waiting, .page, .documents, .omissions:
            UIAccessibility.post(notification: .screenChanged, argument: words)
        }
    }
}
#endif
