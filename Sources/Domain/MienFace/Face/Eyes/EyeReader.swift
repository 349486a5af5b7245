internal import Foundation

/// Reads the eyes' contours with the iris network. The mesh alone hardly moves during a blink
/// (docs/facts.md §4); these contours do.
public struct EyeReader: Sendable {
    public let geometry: IrisGeometry

    public init(_ geometry: IrisGeometry) { self.geometry = geometry }

    public func opening(of mesh: FaceMesh, in image: RGBImage, with networks: some FaceNetworks)
        throws(FaceModelError) -> EyeOpening
    {
        typealias L = FaceMesh.Landmark
        let p = mesh.points
        return EyeOpening(
            right: try opening(
                from: p[L.rightEyeOuter], to: p[L.rightEyeInner], mirrored: false, in: image,
                with: networks),
            left: try opening(
                from: p[L.leftEyeInner], to: p[L.leftEyeOuter], mirrored: true, in: image,
                with: networks))
    }

    /// - Parameters: The eye's corners, left to right on screen.
    private func opening(
        from a: Point, to b: Point, mirrored: Bool, in image: RGBImage,
        with networks: some FaceNetworks
    ) throws(FaceModelError) -> Double {
        let across = b - a, side = geometry.input.width
        let map = AffineMap.crop(
            center: (a + b) * 0.5, size: max(across.length * geometry.cropFactor, 1),
            angle: atan2(across.y, across.x), side: side)
        let crop = image.warped(by: map, width: side, height: side)
        let outputs = try networks.run(.iris) {
            geometry.input.write(mirrored ? crop.mirrored() : crop, into: &$0)
        }
        guard let contour = outputs.first(where: { $0.count == 3 * 71 }) else {
            throw FaceModelError(.iris, "expected 213 numbers, got \(outputs.map(\.count))")
        }
        // The first 16 points outline the eye: 0...8 along the lower lid from corner to corner,
        // 9...15 along the upper.
        func point(_ i: Int) -> Point {
            Point(x: Double(contour[3 * i]), y: Double(contour[3 * i + 1]))
        }
        let corners = point(0).distance(to: point(8))
        guard corners > 0 else { return 0 }
        return (1...7).map { point($0).distance(to: point($0 + 8)) }.reduce(0, +) / 7 / corners
    }
}
