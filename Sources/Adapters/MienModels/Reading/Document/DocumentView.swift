public import MienFace

/// A document without perspective, in a direction in which it may be upright.
public struct DocumentView: Sendable {
    /// The corners in the picture's pixels, from the view's top left clockwise.
    public let corners: [Point]
    public let image: RGBImage

    /// The greatest side in pixels. More shows no more of a printed portrait.
    static let maxSide = 1400.0

    /// - Parameter corners: Four, from the document's top left clockwise.
    /// - Returns: `nil` if three corners lie on a line.
    public init?(_ picture: RGBImage, _ corners: [Point]) {
        let width = (corners[0].distance(to: corners[1]) + corners[3].distance(to: corners[2])) / 2
        let height = (corners[1].distance(to: corners[2]) + corners[0].distance(to: corners[3])) / 2
        let scale = min(1, Self.maxSide / max(width, height, 1))
        guard
            let image = picture.rectified(
                corners, width: max(1, Int(width * scale)), height: max(1, Int(height * scale)))
        else { return nil }
        (self.corners, self.image) = (corners, image)
    }
}

extension DocumentReading {
    /// The directions in which the document may be upright, the likelier ones first: one if a zone
    /// or a barcode shows it, otherwise upright and upside down, then sideways.
    ///
    /// - Returns: Corners from the document's top left clockwise. Without an outline, the whole
    ///   picture counts as the document.
    public func directions(of picture: RGBImage) -> [[Point]] {
        if let uprightCorners { return [uprightCorners] }
        let w = Double(picture.width), h = Double(picture.height)
        let corners =
            place.corners ?? [
                Point(x: 0, y: 0), Point(x: w, y: 0), Point(x: w, y: h), Point(x: 0, y: h),
            ]
        func from(_ first: Int) -> [Point] { (0..<4).map { corners[(first + $0) % 4] } }
        return (upright(corners).map { [$0] } ?? [0, 2, 1, 3]).map(from)
    }
}
