internal import MienCore
internal import MienDocument
internal import MienFace
internal import MienModels

/// The place and the faults of a document in a picture, before anything on it is read. Quick enough to
/// guide a person who holds a camera.
struct DocumentPreview: Sendable {
    /// The corners of the document, clockwise, in parts of the picture's width and height; `nil`
    /// without one.
    var corners: [Point]?
    /// Words such as `blurred`, the most important one first; empty for a good picture.
    var faults: [String]
    /// Why another picture is needed; `nil` for a good one.
    var reason: RecaptureReason?

    var isReady: Bool { faults.isEmpty }
}

extension DocumentPreview {
    /// Finds a document by its edges.
    init(of image: RGBImage) {
        let place = CardPlace(in: image)
        let verdict = CaptureVerdict(place.measurements(in: image))
        let (width, height) = (Double(image.width), Double(image.height))
        self.init(
            corners: place.corners?.map { Point(x: $0.x / width, y: $0.y / height) },
            faults: verdict.faults.map(\.rawValue), reason: verdict.reason)
    }
}
