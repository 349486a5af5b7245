#if canImport(SwiftUI) && canImport(UIKit)
public import Foundation
public import MienClient
internal import SwiftUI
public import UIKit

/// The screens of ``MienCaptureView`` in a view controller. Present it over the full screen; it
/// dismisses itself before it reports how the capture ended.
public final class MienCaptureViewController: UIViewController {
    private let makeModel:
        @MainActor (@escaping @MainActor (CaptureOutcome) -> Void) -> CaptureModel
    private let onEnd: @MainActor (CaptureOutcome) -> Void
    private lazy var model = makeModel { [weak self, onEnd] outcome in
        // The app may have dismissed and released the controller meanwhile.
        guard let self, self.presentingViewController != nil else { return onEnd(outcome) }
        dismiss(animated: true) { onEnd(outcome) }
    }

    public init(
        startToken: String, client: JourneyClient? = nil,
        options: CaptureOptions = CaptureOptions(),
        onEnd: @escaping @MainActor (CaptureOutcome) -> Void
    ) {
        self.onEnd = onEnd
        makeModel = {
            CaptureModel(startToken: startToken, client: client, options: options, onEnd: $0)
        }
        super.init(nibName: nil, bundle: nil)
        modalPresentationStyle = .fullScreen
        isModalInPresentation = true
    }

    /// It cannot be archived: a start token works once.
    public required init?(coder: NSCoder) { nil }

    public override func viewDidLoad() {
        super.viewDidLoad()
        let screens = UIHostingController(rootView: MienCaptureView(model: model))
        addChild(screens)
        screens.view.frame = view.bounds
        screens.view.autoresizingMask = [.flexibleWidth, .flexibleHeight]
        view.addSubview(screens.view)
        screens.didMove(toParent: self)
    }

    /// Cancels the capture, and dismisses the screens.
    public func cancel() {
        model.dismiss()
        // The screens may not have appeared yet.
        Task { await model.run() }
    }
}
#endif
