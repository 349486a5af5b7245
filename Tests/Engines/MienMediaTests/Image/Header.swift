/// File headers that claim `width` × `height` pixels but have no pixel data.
enum Header {
    static func png(_ width: Int, _ height: Int) -> [UInt8] {
        // The checksum is wrong, because nothing may depend on it before limits are checked.
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
            + big(width, 4) + big(height, 4)
            + [8, 2, 0, 0, 0, 0, 0, 0, 0]
    }

    static func jpeg(
        _ width: Int, _ height: Int, marker: UInt8 = 0xC0, precision: UInt8 = 8, colors: Int = 3
    ) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, marker] + big(8 + 3 * colors, 2) + [precision] + big(height, 2)
            + big(width, 2) + [UInt8(colors)]
            + (0..<colors).flatMap { [UInt8($0 + 1), 0x11, 0] } + [0xFF, 0xDA]
            + big(6 + 2 * colors, 2) + [UInt8(colors)]
            + (0..<colors).flatMap { [UInt8($0 + 1), 0] } + [0, 63, 0]
    }

    /// Returns a screen with one frame at its top-left corner.
    static func gif(_ width: Int, _ height: Int, frame: (width: Int, height: Int)) -> [UInt8] {
        Array("GIF89a".utf8) + little(width) + little(height) + [
            0x80, 0, 0, 0, 0, 0, 255, 255, 255,
        ]
            + [0x2C, 0, 0, 0, 0] + little(frame.width) + little(frame.height) + [
                0, 2, 2, 0x4C, 0x01, 0, 0x3B,
            ]
    }

    static func big(_ number: Int, _ bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(number >> (8 * $0) & 255) }
    }
    static func little(_ number: Int, _ bytes: Int = 2) -> [UInt8] { big(number, bytes).reversed() }
}

/// Returns an 8×8 grayscale progressive JPEG: one scan for the block's mean, then `scans` − 1 empty
/// scans. It is valid for any number of scans.
func progressiveJPEG(scans: Int) -> [UInt8] {
    let quantisation = [0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 1, count: 64)
    let frame: [UInt8] = [0xFF, 0xC2, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0]
    // The code 0 means 0.
    func table(_ kind: UInt8) -> [UInt8] {
        [0xFF, 0xC4, 0, 20, kind, 1] + [UInt8](repeating: 0, count: 15) + [0]
    }
    func scan(_ first: UInt8, _ last: UInt8) -> [UInt8] {
        [0xFF, 0xDA, 0, 8, 1, 1, 0, first, last, 0, 0x7F]
    }
    return [0xFF, 0xD8] + quantisation + frame + table(0x00) + table(0x10) + scan(0, 0)
        + (1..<scans).flatMap { _ in scan(1, 63) } + [0xFF, 0xD9]
}
