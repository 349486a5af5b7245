extension RGBImage {
    /// The brightness of every pixel in row-major order: 0.299 R + 0.587 G + 0.114 B (ITU-R
    /// BT.601), rounded.
    public var luma: [UInt8] {
        var out = [UInt8](repeating: 0, count: width * height)
        for i in 0..<out.count {
            let sum =
                19_595 * Int(pixels[3 * i]) + 38_470 * Int(pixels[3 * i + 1]) + 7_471
                * Int(pixels[3 * i + 2]) + 32_768
            out[i] = UInt8(truncatingIfNeeded: sum >> 16)
        }
        return out
    }
}
