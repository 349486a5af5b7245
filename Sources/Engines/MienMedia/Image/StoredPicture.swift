public import MienFace

/// A picture that a stranger sent, as it is stored: re-encoded, so that nothing but its pixels
/// stays (no places in Exif, no data behind its end), and of bounded size.
public enum StoredPicture {
    /// The longer side in pixels. The smallest barcode of a card in half of the picture has three
    /// pixels in a module.
    static let maxSide = 3200
    /// The largest file.
    public static let maxBytes = 2 << 20
    private static let qualities = [90, 80, 70]

    /// Returns a JPEG of at most `maxBytes`.
    public static func encode(_ image: RGBImage, maxBytes: Int = maxBytes) -> [UInt8] {
        var image = shrunk(image, to: maxSide)
        while true {
            for quality in qualities {
                let bytes = JPEGEncoder.encode(image, quality: quality)
                if bytes.count <= maxBytes { return bytes }
            }
            // Even the lowest quality is too large, which happens only with noise. Shrink the
            // picture and try again.
            image = shrunk(image, to: max(image.width, image.height) * 2 / 3)
        }
    }

    private static func shrunk(_ image: RGBImage, to side: Int) -> RGBImage {
        let longer = max(image.width, image.height)
        guard longer > side else { return image }
        return image.resized(
            width: max(1, image.width * side / longer), height: max(1, image.height * side / longer)
        )
    }
}
