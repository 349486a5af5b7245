import Foundation
import MienFace
import MienMedia
import Testing

/// A file in Vectors/ with its expected contents; see Vectors/PROVENANCE.md.
struct Vector: CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let image: RGBImage

    var testDescription: String { name }
    var format: ImageFormat { ImageFormat(rawValue: name.prefix { $0 != "/" }.lowercased())! }

    /// The maximum color difference. JPEG is lossy, and 16-bit alpha over white is rounded once
    /// more than in the computed value.
    var tolerance: Int { format == .jpeg ? 6 : name.contains("alpha16") ? 1 : 0 }

    static let all: [Vector] = {
        struct Expected: Decodable {
            let width, height: Int
            let rgb: String
        }
        let entries = try! JSONDecoder().decode(
            [String: Expected].self, from: Data(file("expected.json")))
        return entries.sorted { $0.key < $1.key }.map { name, shown in
            Vector(
                name: name, bytes: file(name),
                image: try! RGBImage(
                    width: shown.width, height: shown.height, pixels: unhex(shown.rgb)))
        }
    }()

    /// The vectors under 1,000 bytes, for tests that try every byte.
    static var tiny: [Vector] { all.filter { $0.bytes.count < 1000 } }

    static func named(_ name: String) -> Vector { all.first { $0.name == name }! }

    static func file(_ name: String) -> [UInt8] {
        [UInt8](
            try! Data(contentsOf: Bundle.module.bundleURL.appendingPathComponent("Vectors/\(name)"))
        )
    }

    private static func unhex(_ text: String) -> [UInt8] {
        let digits = text.utf8.map { UInt8($0 < 0x3A ? $0 - 0x30 : $0 - 0x57) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

/// Returns the largest color difference of any pixel; `nil` when the sides differ.
func largestDifference(_ a: RGBImage, _ b: RGBImage) -> Int? {
    guard (a.width, a.height) == (b.width, b.height) else { return nil }
    return zip(a.pixels, b.pixels).map { abs(Int($0) - Int($1)) }.max()
}

/// Returns the decoder's result for `bytes`.
func outcome(_ bytes: [UInt8], limits: ImageLimits = .standard) -> Result<RGBImage, ImageError> {
    do { return .success(try ImageDecoder.decode(bytes, limits: limits)) } catch {
        return .failure(error)
    }
}
