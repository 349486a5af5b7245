internal import CMienMedia
public import MienFace

/// Writes baseline JFIF files without metadata.
public enum JPEGEncoder {
    /// Returns a whole file. `quality` is 1...100 on libjpeg's scale; values outside are clamped.
    /// From 90 on, color keeps its full resolution (4:4:4), so that thin colored lines stay clear.
    /// Below 90, color has half the resolution in each direction (4:2:0).
    public static func encode(_ image: RGBImage, quality: Int = 90) -> [UInt8] {
        let quality = min(max(quality, 1), 100)
        return unsafe encodedBytes { out, count in
            unsafe image.pixels.withUnsafeBytes {
                unsafe mien_jpeg_encode(
                    $0.baseAddress, Int32(image.width), Int32(image.height), Int32(quality),
                    quality >= 90 ? 1 : 0, out, count)
            }
        }
    }
}
