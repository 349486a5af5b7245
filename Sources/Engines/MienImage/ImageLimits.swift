internal import MienPixels

/// What an image may cost. Checked before anything is allocated or decompressed.
///
/// The other bounds follow: each side is within `RGBImage.sideRange`; decoding takes at most 32 MiB
/// and 10 bytes a pixel beside the result; time is linear in bytes and in pixels, which a JPEG may
/// pass over 64 times, or 25 times at 40 megapixels (under a second).
public struct ImageLimits: Sendable, Hashable {
    /// The most bytes a file may have.
    public var maxBytes: Int

    /// The most pixels, width × height, that an image, or one frame of it, may have.
    public var maxPixels: Int

    /// 5 MB and 40 megapixels.
    ///
    /// 5 MB is 5 × 1,048,576 bytes, so that a file is accepted whichever way its sender counts a
    /// megabyte.
    public static let standard = ImageLimits()

    public init(maxBytes: Int = 5 * 1_048_576, maxPixels: Int = 40_000_000) {
        precondition(maxBytes > 0 && maxPixels > 0, "limits are positive")
        (self.maxBytes, self.maxPixels) = (maxBytes, maxPixels)
    }

    /// How many scans (passes over the picture) a JPEG of `pixels` may have: 64, fewer when that
    /// would be over 1,000 million pixels of work, but always 16. Encoders write about 10; a file
    /// of thousands of empty scans costs seconds a kilobyte.
    static func scans(forPixels pixels: Int) -> Int {
        min(64, max(16, 1_000_000_000 / max(1, pixels)))
    }

    /// Memory a decoder may use beside the result: 32 MiB and 10 bytes a pixel, as a progressive
    /// JPEG of four colours keeps 8.
    static func workingBytes(forPixels pixels: Int) -> Int { 32 << 20 + 10 * pixels }

    func check(byteCount: Int) throws(ImageError) {
        guard byteCount <= maxBytes else { throw .tooManyBytes(count: byteCount, limit: maxBytes) }
    }

    /// - Precondition: both are in `0..<2^32`, as a header's numbers are.
    func check(width: Int, height: Int) throws(ImageError) {
        guard width < 1 << 31, height < 1 << 31, width * height <= maxPixels else {
            throw .tooManyPixels(width: width, height: height, limit: maxPixels)
        }
        guard RGBImage.sideRange.contains(width), RGBImage.sideRange.contains(height) else {
            throw .sides(width: width, height: height)
        }
    }
}
