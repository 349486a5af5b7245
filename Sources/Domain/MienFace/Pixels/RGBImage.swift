/// An 8-bit color image.
///
/// - Shape: `height` rows of `width` pixels, top to bottom, three bytes per pixel in the order red,
///   green, blue, without padding.
/// - Range: each side 1...32768 pixels. Values are display values (sRGB), 0...255.
public struct RGBImage: Sendable, Equatable {
    public static let sideRange = 1...32_768

    public let width: Int
    public let height: Int
    public internal(set) var pixels: [UInt8]

    /// - Throws: ``PixelError`` when a side is out of range or `pixels` does not hold
    ///   `3 × width × height` bytes.
    public init(width: Int, height: Int, pixels: [UInt8]) throws(PixelError) {
        guard Self.sideRange.contains(width), Self.sideRange.contains(height) else {
            throw .sides(width: width, height: height)
        }
        guard pixels.count == 3 * width * height else {
            throw .count(expected: 3 * width * height, got: pixels.count)
        }
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// Creates an image of a single color.
    /// - Precondition: Both sides are in ``sideRange``.
    public init(width: Int, height: Int, filledWith color: RGBColor) {
        precondition(
            Self.sideRange.contains(width) && Self.sideRange.contains(height),
            "sides \(width)×\(height) are out of range")
        self.width = width
        self.height = height
        pixels = [UInt8](repeating: color.red, count: 3 * width * height)
        guard color.green != color.red || color.blue != color.red else { return }
        for i in 0..<width * height {
            pixels[3 * i + 1] = color.green
            pixels[3 * i + 2] = color.blue
        }
    }

    /// The pixel in column `x` of row `y`.
    public subscript(x: Int, y: Int) -> RGBColor {
        get {
            let i = 3 * (y * width + x)
            return RGBColor(pixels[i], pixels[i + 1], pixels[i + 2])
        }
        set {
            let i = 3 * (y * width + x)
            pixels[i] = newValue.red
            pixels[i + 1] = newValue.green
            pixels[i + 2] = newValue.blue
        }
    }

    /// The image's rectangle, with its top-left corner at (0, 0).
    public var bounds: Rectangle {
        Rectangle(x: 0, y: 0, width: Double(width), height: Double(height))
    }
}

/// The reason that bytes are not a valid image.
public enum PixelError: Error, Equatable, Sendable {
    case sides(width: Int, height: Int)
    case count(expected: Int, got: Int)
}

/// An 8-bit color.
public struct RGBColor: Sendable, Hashable {
    public var red, green, blue: UInt8

    public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    public static let black = RGBColor(0, 0, 0)
    public static let white = RGBColor(255, 255, 255)
}
