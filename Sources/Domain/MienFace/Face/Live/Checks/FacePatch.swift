/// A small upright grayscale picture of a face.
///
/// - Shape: ``side``² bytes in rows from top to bottom, with the eyes level. It covers the same
///   part of the face regardless of the face's size and position.
///
/// It shows a person, so its description omits the contents.
public struct FacePatch: Sendable, Equatable {
    public static let side = 64

    public let brightness: [UInt8]

    /// - Precondition: `brightness` holds ``side``² values.
    public init(brightness: [UInt8]) {
        precondition(
            brightness.count == Self.side * Self.side,
            "a patch holds \(Self.side * Self.side) values")
        self.brightness = brightness
    }
}

extension FacePatch: CustomStringConvertible, CustomReflectable {
    public var description: String { "‹face patch›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension FacePatch {
    /// Cuts out the face under `mesh`, turned upright by its eye corners and the base of the nose.
    /// `nil` when the mesh has collapsed.
    init?(of mesh: FaceMesh, in image: RGBImage) {
        let side = Double(Self.side)
        guard
            let map = AffineMap.similarity(
                from: Self.anchors.map { mesh.points[$0.number] },
                to: Self.anchors.map { Point(x: $0.x * side, y: $0.y * side) })
        else { return nil }
        self.init(brightness: image.warped(by: map, width: Self.side, height: Self.side).luma)
    }

    /// The positions of mesh points, as fractions of the side. The whole face fits, from brow to chin.
    private static let anchors = [
        (number: 33, x: 0.26, y: 0.36), (number: 133, x: 0.41, y: 0.37),
        (number: 362, x: 0.59, y: 0.37), (number: 263, x: 0.74, y: 0.36),
        (number: 2, x: 0.5, y: 0.62),
    ]
}
