internal import CMienReading
public import MienFace

/// The content of a PDF417 symbol in a picture.
///
/// It is personal data, so it prints as `‹barcode›`.
public struct BarcodeReading: Sendable {
    /// As encoded, without character set conversion.
    public let bytes: [UInt8]
    /// The symbol's corners in pixels, in its reading direction: top left, top right, bottom right,
    /// bottom left.
    public private(set) var corners: [(x: Int, y: Int)]

    /// A symbol whose content is known.
    init(_ bytes: [UInt8]) { (self.bytes, corners) = (bytes, []) }

    /// Finds and decodes one symbol, in any direction, with zxing-cpp. A symbol counts only if its
    /// error correction succeeds.
    /// - Returns: `nil` when the picture has no such symbol.
    /// - Throws: ``BarcodeError`` when the library fails.
    public init?(in image: RGBImage) throws(BarcodeError) {
        var bytes: UnsafeMutablePointer<UInt8>?, count = 0
        var corners = [Int32](repeating: 0, count: 8)
        let luma = image.luma
        let status = unsafe luma.withUnsafeBytes { gray in
            unsafe mien_barcode_read(
                gray.baseAddress, Int32(image.width), Int32(image.height), &bytes, &count, &corners)
        }
        guard status != mien_barcode_none else { return nil }
        guard status == mien_barcode_ok, let found = unsafe bytes else { throw BarcodeError() }
        self.bytes = unsafe Array(UnsafeBufferPointer(start: found, count: count))
        unsafe mien_barcode_free(found)
        self.corners = (0..<4).map { (Int(corners[2 * $0]), Int(corners[2 * $0 + 1])) }
    }

    /// Whether a zone's lines are within the symbol.
    func covers(_ zone: ZoneReading) -> Bool {
        guard corners.count == 4 else { return false }
        let outline = corners.map { Point(x: Double($0.x), y: Double($0.y)) }
        return zone.lines.contains {
            CardPlace.contains(
                outline, Point(x: ($0.start.x + $0.end.x) / 2, y: ($0.start.y + $0.end.y) / 2))
        }
    }

    /// The reading with its corners moved to another picture's.
    func mapped(by map: (Point) -> Point) -> Self {
        var out = self
        out.corners = corners.map { corner in
            let p = map(Point(x: Double(corner.x), y: Double(corner.y)))
            return (Int(clamping: p.x), Int(clamping: p.y))
        }
        return out
    }
}

extension BarcodeReading: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹barcode›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The barcode library failed, for example because memory ran out.
public struct BarcodeError: Error, Equatable, CustomStringConvertible {
    public let description = "barcode.failed: the barcode library failed; try a smaller picture"
}

extension Int {
    /// Pixels beyond any picture are at its edge; what is not a number is 0.
    fileprivate init(clamping value: Double) {
        self = value.isNaN ? 0 : Int(Swift.min(Swift.max(value, -1e6), 1e6).rounded())
    }
}
