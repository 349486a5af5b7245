/// Three pictures drawn by formulas, for which the descriptor network's output is known.
///
/// `Packs/mien-basic-1/reference.json` contains the output of dlib's own network for them. A converted
/// network whose output agrees to within 1e-4 in every number computes the same function.
///
/// - Shape: ``side`` rows of ``side`` pixels, top to bottom, three bytes per pixel in the order
///   red, green, blue; 0...255.
public enum ReferenceChip: String, Sendable, CaseIterable {
    /// Red increases to the right, green downward, blue along the diagonal.
    case gradient
    /// Ellipses around the center, one set per channel.
    case rings
    /// A well-mixed integer hash of column, row, and channel.
    case noise

    /// Width and height in pixels.
    public static let side = 150

    public var pixels: [UInt8] {
        var pixels = [UInt8]()
        pixels.reserveCapacity(3 * Self.side * Self.side)
        for y in 0..<Self.side {
            for x in 0..<Self.side {
                for channel in 0..<3 { pixels.append(value(x: x, y: y, channel: channel)) }
            }
        }
        return pixels
    }

    private func value(x: Int, y: Int, channel: Int) -> UInt8 {
        switch self {
        case .gradient: UInt8([2 * x, 2 * y, x + y][channel] * 255 / 298)
        case .rings:
            UInt8(
                ((x - 75) * (x - 75) * (channel + 1) + (y - 75) * (y - 75) * (3 - channel)) / 16
                    % 256)
        case .noise: Self.hash(UInt32(x), UInt32(y), UInt32(channel))
        }
    }

    /// All arithmetic uses 32-bit unsigned integers and wraps around.
    private static func hash(_ x: UInt32, _ y: UInt32, _ channel: UInt32) -> UInt8 {
        var h = x &* 73_856_093 ^ y &* 19_349_663 ^ channel &* 83_492_791
        h = (h ^ h >> 16) &* 0x45d9_f3b3
        h = (h ^ h >> 16) &* 0x45d9_f3b3
        return UInt8(truncatingIfNeeded: h ^ h >> 16)
    }
}
