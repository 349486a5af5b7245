internal import Foundation

/// A color of a page, in sRGB.
public struct PageColor: Sendable, Hashable {
    public let red, green, blue: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// - Parameter text: `#rrggbb`.
    public init?(_ text: String) {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6,
            digits.allSatisfy({
                (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20)
            }), let value = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        self.init(
            red: UInt8(value >> 16), green: UInt8(value >> 8 & 0xff), blue: UInt8(value & 0xff))
    }

    /// The relative luminance, 0 to 1: WCAG 2.2.
    public var luminance: Double {
        func linear(_ channel: UInt8) -> Double {
            let value = Double(channel) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// The contrast ratio of two colors, 1 to 21: WCAG 2.2.
    public func contrast(with other: PageColor) -> Double {
        let (a, b) = (luminance + 0.05, other.luminance + 0.05)
        return max(a, b) / min(a, b)
    }

    /// Black or white, whichever is easier to read on this color. Its contrast is at least 4.5.
    public var text: PageColor {
        let (black, white) = (
            PageColor(red: 0, green: 0, blue: 0), PageColor(red: 255, green: 255, blue: 255)
        )
        return contrast(with: white) >= 4.5 ? white : black
    }

    /// This color for text on a background: mixed with as little black or white as a contrast takes.
    ///
    /// - Parameter contrast: At least 1; a contrast that neither black nor white reaches gives the
    ///   better of the two.
    public func readable(on background: PageColor, contrast: Double) -> PageColor {
        let end = background.text, steps = 40
        let mixtures = (0...steps).lazy.map { step in
            mixed(with: end, share: Double(step) / Double(steps))
        }
        return mixtures.first { $0.contrast(with: background) >= contrast } ?? end
    }

    private func mixed(with other: PageColor, share: Double) -> PageColor {
        func channel(_ a: UInt8, _ b: UInt8) -> UInt8 {
            UInt8((Double(a) * (1 - share) + Double(b) * share).rounded())
        }
        return PageColor(
            red: channel(red, other.red), green: channel(green, other.green),
            blue: channel(blue, other.blue))
    }

    /// `#rrggbb`
    public var css: String { String(format: "#%02x%02x%02x", red, green, blue) }
}
