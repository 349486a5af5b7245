#if canImport(SwiftUI) && canImport(UIKit)
public import MienClient
public import SwiftUI

/// All screens of a capture: for a selfie, or for a document and the face.
///
///     MienCaptureView(startToken: token) { outcome in … }
///
/// The same screens and words as those of the server's pages. Give it the whole window, outside a
/// `Form` or `List`, in whose rows a tap presses every button. For another start token, give it
/// another identity with `id(_:)`.
public struct MienCaptureView: View {
    @StateObject private var model: CaptureModel

    /// - Parameters:
    ///   - startToken: The step's `start_token`.
    ///   - client: The client of the server; that of `Mien.initialize` by default.
    ///   - onEnd: Called once, when the capture has ended.
    public init(
        startToken: String, client: JourneyClient? = nil,
        options: CaptureOptions = CaptureOptions(),
        onEnd: @escaping @MainActor (CaptureOutcome) -> Void
    ) {
        _model = StateObject(
            wrappedValue: CaptureModel(
                startToken: startToken, client: client, options: options, onEnd: onEnd))
    }

    init(model: CaptureModel) { _model = StateObject(wrappedValue: model) }

    public var body: some View {
        CaptureScreenView(model: model)
            .environment(
                \.layoutDirection, model.texts.isRightToLeft ? .rightToLeft : .leftToRight
            )
            .interactiveDismissDisabled()
            .task { await model.run() }
            .onDisappear { model.dismiss() }
    }
}

/// The view of the current screen.
struct CaptureScreenView: View {
    @ObservedObject var model: CaptureModel

    var body: some View {
        switch model.screen {
        case .waiting(let text): WaitingView(text: text)
        case .page(let page): PageView(page: page, choose: model.choose)
        case .documents(let choices): DocumentsView(choices: choices, model: model)
        case .omissions(let choices): OmissionsView(choices: choices, model: model)
        case .face(let stage):
            FaceStageView(stage: stage, camera: model.camera, choose: model.choose)
        case .document(let stage):
            DocumentStageView(stage: stage, camera: model.camera, choose: model.choose)
        }
    }
}
#endif
