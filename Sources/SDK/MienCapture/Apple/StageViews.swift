#if canImport(SwiftUI) && canImport(UIKit) && canImport(AVFoundation)
internal import AVFoundation
internal import MienAPI
internal import MienClient
internal import SwiftUI
internal import UIKit

/// The camera with an oval for the face, one line of words, and an arrow.
struct FaceStageView: View {
    let stage: FaceStage
    let camera: any CaptureCamera
    let choose: (CaptureChoice) -> Void

    var body: some View {
        VStack(spacing: 16) {
            Text(stage.word)
                .font(.title2.bold())
                .multilineTextAlignment(.center)
                .accessibilityAddTraits(.updatesFrequently)
            CameraPreview(camera: camera)
                .aspectRatio(3 / 4, contentMode: .fit)
                .clipShape(Ellipse())
                .overlay {
                    Ellipse().trim(from: 0, to: Double(stage.progress) / 100).stroke(lineWidth: 6)
                }
                .overlay(alignment: stage.sign.edge) {
                    if let symbol = stage.sign?.symbol {
                        Image(systemName: symbol)
                            .font(.system(size: 48))
                            .accessibilityHidden(true)
                    }
                }
                .accessibilityLabel(stage.preview)
            Text(stage.note)
            ChoiceButtons(buttons: stage.buttons, choose: choose)
        }
        .padding()
        .lit(by: stage.color)
    }
}

extension View {
    /// Fills the screen with a color that the face reflects, and writes in black, which is readable on
    /// each of them.
    fileprivate func lit(by color: CaptureColor?) -> some View {
        let rgb = color?.rgb
        return frame(maxWidth: .infinity, maxHeight: .infinity)
            .foregroundStyle(rgb == nil ? Color.primary : Color.black)
            .tint(rgb == nil ? nil : Color.black)
            .background {
                if let rgb {
                    Color(.sRGB, red: rgb.red, green: rgb.green, blue: rgb.blue).ignoresSafeArea()
                }
            }
    }
}

/// The camera with the edges of a document.
struct DocumentStageView: View {
    let stage: DocumentStage
    let camera: any CaptureCamera
    let choose: (CaptureChoice) -> Void

    var body: some View {
        VStack(spacing: 16) {
            Text(stage.title).font(.headline).accessibilityAddTraits(.isHeader)
            Text(stage.word)
                .font(.title3.bold())
                .multilineTextAlignment(.center)
                .accessibilityAddTraits(.updatesFrequently)
            CameraPreview(camera: camera)
                .overlay {
                    if let corners = stage.corners {
                        Outline(corners: corners)
                            .stroke(stage.isGood ? Color.green : Color.yellow, lineWidth: 4)
                    }
                }
                .accessibilityLabel(stage.preview)
            if let progress = stage.progress { ProgressView(value: progress) }
            Text(stage.tip)
            ChoiceButtons(buttons: stage.buttons, choose: choose)
        }
        .padding()
    }
}

/// Four corners in parts of the picture.
struct Outline: Shape {
    let corners: [[Double]]

    func path(in rect: CGRect) -> Path {
        var path = Path()
        let points = corners.filter { $0.count == 2 }.map {
            CGPoint(x: rect.minX + $0[0] * rect.width, y: rect.minY + $0[1] * rect.height)
        }
        path.addLines(points)
        path.closeSubpath()
        return path
    }
}

/// The camera's picture.
struct CameraPreview: UIViewRepresentable {
    let camera: any CaptureCamera

    func makeUIView(context: Context) -> PreviewView {
        let view = PreviewView()
        if let layer = view.layer as? AVCaptureVideoPreviewLayer {
            layer.session = (camera as? SystemCamera)?.session
            layer.videoGravity = .resizeAspectFill
        }
        return view
    }

    func updateUIView(_ view: PreviewView, context: Context) {}
}

final class PreviewView: UIView {
    override class var layerClass: AnyClass { AVCaptureVideoPreviewLayer.self }
}

extension CaptureAction {
    /// An arrow for a movement. The picture is a mirror, so that the person's left is on the left.
    fileprivate var symbol: String? {
        switch self {
        case .turnLeft: "arrow.left"
        case .turnRight: "arrow.right"
        case .lookUp: "arrow.up"
        case .lookDown: "arrow.down"
        case .blink: "eye"
        case .openMouth: "mouth"
        case .comeCloser: "arrow.up.left.and.arrow.down.right"
        case .keepStill: nil
        }
    }
}

extension CaptureAction? {
    fileprivate var edge: Alignment {
        switch self {
        case .turnLeft: .leading
        case .turnRight: .trailing
        case .lookUp: .top
        case .lookDown, .blink, .openMouth, .comeCloser, .keepStill, nil: .bottom
        }
    }
}
#endif
