internal import Foundation

/// Amounts of red, green, and blue light, 0...1, in proportion to the light itself: a pixel's values
/// without the curve of sRGB.
public struct LinearLight: Sendable, Hashable {
    public var red, green, blue: Double

    public init(_ red: Double, _ green: Double, _ blue: Double) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    public init(_ color: RGBColor) {
        self.init(Self.of[Int(color.red)], Self.of[Int(color.green)], Self.of[Int(color.blue)])
    }

    var mean: Double { (red + green + blue) / 3 }

    /// The light of each value of sRGB (IEC 61966-2-1).
    static let of: [Double] = (0...255).map {
        let s = Double($0) / 255
        return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4)
    }
}
