#if canImport(SwiftUI) && canImport(UIKit)
public import Foundation
public import MienClient
internal import SwiftUI
public import UIKit

/// The screens of ``MienCaptureView`` in a view controller. Present it over the full screen; it
/// dismisses itself before it reports how the capture ended.
public final class MienCaptureViewController: UIViewController {
    private let startToken: String
    private let client: JourneyClient?
    private let options: CaptureOptions
    private let onEnd: @MainActor (CaptureOutcome) -> Void

    public init(
        startToken: String, client: JourneyClient? = nil,
        options: CaptureOptions = CaptureOptions(),
        onEnd: @escaping @MainActor (CaptureOutcome) -> Void
    ) {
        (self.startToken, self.client, self.options, self.onEnd) = (
            startToken, client, options, onEnd
        )
        super.init(nibName: nil, bundle: nil)
        modalPresentationStyle = .fullScreen
        isModalInPresentation = true
    }

    /// It cannot be archived: a start token works once.
    public required init?(coder: NSCoder) { nil }

    public override func viewDidLoad() {
        super.viewDidLoad()
        let screens = UIHostingController(
            rootView: MienCaptureView(startToken: startToken, client: client, options: options) {
                [weak self, onEnd] outcome in
                // The app may have dismissed and released the controller.
                guard let self, presentingViewController != nil else { return onEnd(outcome) }
                dismiss(animated: true) { onEnd(outcome) }
            })
        addChild(screens)
        screens.view.frame = view.bounds
        screens.view.autoresizingMask = [.flexibleWidth, .flexibleHeight]
        view.addSubview(screens.view)
        screens.didMove(toParent: self)
    }
}
#endif
