internal import MienDocument
internal import MienFace

/// Where a document is, by the place of its machine-readable zone. Perspective does not count.
///
/// Source: ICAO Doc 9303 parts 4–7, the dimensions of documents and zones.
struct ZoneFrame {
    /// The top left of the document's text, and on clockwise, in pixels.
    let corners: [Point]

    init?(_ zone: ZoneReading) {
        let size = Self.size(zone.zone.format), count = zone.zone.format.lineLength
        guard let first = zone.lines.first, let last = zone.lines.last, zone.lines.count > 1 else {
            return nil
        }
        let start = Point(x: last.start.x, y: last.start.y)
        let along = Point(x: last.end.x, y: last.end.y) - start
        // Characters are 2.54 mm apart, and lines 4.23 mm.
        let mm = along * (1 / (2.54 * Double(count)))
        let height = Double(zone.lines.count - 1) * 4.233
        let down = (start - Point(x: first.start.x, y: first.start.y)) * (1 / height)
        guard mm.length > 0.5, down.length > 0.5 else { return nil }
        func place(_ x: Double, _ y: Double) -> Point {
            start + mm * (x - size.left) + down * (y - size.height + size.bottom)
        }
        corners = [
            place(0, 0), place(size.width, 0), place(size.width, size.height),
            place(0, size.height),
        ]
    }

    /// Millimeters: of the document, from its left edge to the zone, and from the middle of the last
    /// line to the bottom edge.
    private static func size(_ format: MRZFormat) -> (
        width: Double, height: Double, left: Double, bottom: Double
    ) {
        switch format {
        case .td1: (85.6, 54, 4.7, 9.2)
        case .td2, .visaB, .frenchCard: (105, 74, 6.8, 8.6)
        case .td3: (125, 88, 6.6, 9.4)
        case .visaA: (120, 80, 4.2, 8.6)
        }
    }
}
