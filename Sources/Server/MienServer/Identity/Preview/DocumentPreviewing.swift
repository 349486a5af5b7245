package import MienCore
package import MienDocument
package import MienFace
internal import MienModels

/// Looks for a document in a picture, quickly, to guide a person who holds a camera.
package protocol DocumentPreviewing: Sendable {
    func preview(_ image: RGBImage) -> DocumentPreview
    /// Judges pictures of a document that was tilted.
    ///
    /// - Parameter front: The picture of the document at rest, if there is one.
    func tilt(_ frames: [RGBImage], front: RGBImage?) -> ReflectionCheck
}

/// The place and the faults of a document in a picture, before anything on it is read.
package struct DocumentPreview: Sendable, Hashable {
    /// The corners of the document, clockwise, in parts of the picture's width and height; `nil`
    /// without one.
    package var corners: [Point]?
    /// Words such as `blurred`, the most important one first; empty for a good picture.
    package var faults: [String] = []
    /// Why another picture is needed; `nil` for a good one.
    package var reason: RecaptureReason?

    package var isReady: Bool { faults.isEmpty }
}

/// Finds documents by their edges.
package struct EdgePreview: DocumentPreviewing {
    package func preview(_ image: RGBImage) -> DocumentPreview {
        let place = CardPlace(in: image)
        let verdict = CaptureVerdict(place.measurements(in: image))
        let (width, height) = (Double(image.width), Double(image.height))
        return DocumentPreview(
            corners: place.corners?.map { Point(x: $0.x / width, y: $0.y / height) },
            faults: verdict.faults.map(\.rawValue), reason: verdict.reason)
    }

    package func tilt(_ frames: [RGBImage], front: RGBImage?) -> ReflectionCheck {
        ReflectionCheck(
            TiltMeasurements(of: frames, front: front.map { ($0, CardPlace(in: $0)) }))
    }
}
