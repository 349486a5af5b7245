internal import MienPixels

/// A small upright picture of a face, in brightness only.
///
/// - Shape: ``side``² bytes, rows top to bottom; eyes level, the same part of the face whatever its
///   size and place.
///
/// Shows a person: never prints.
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
    /// The face under `mesh`, brought upright by its eyes' corners and the nose's base; `nil` when
    /// the mesh has collapsed.
    init?(of mesh: FaceMesh, in image: RGBImage) {
        let side = Double(Self.side)
        guard
            let map = AffineMap.similarity(
                from: Self.places.map { mesh.points[$0.number] },
                to: Self.places.map { Point(x: $0.x * side, y: $0.y * side) })
        else { return nil }
        self.init(brightness: image.warped(by: map, width: Self.side, height: Self.side).luma)
    }

    /// Where they lie, as parts of the side: the whole face from brow to chin fits.
    private static let places = [
        (number: 33, x: 0.26, y: 0.36), (number: 133, x: 0.41, y: 0.37),
        (number: 362, x: 0.59, y: 0.37), (number: 263, x: 0.74, y: 0.36),
        (number: 2, x: 0.5, y: 0.62),
    ]
}
