internal import MienPixels

/// The maximum cost of an image, checked before anything is allocated or decompressed.
///
/// Other bounds follow from it: each side is within `RGBImage.sideRange`. Decoding takes at most 32
/// MiB and 10 bytes per pixel in addition to the result. The time is linear in bytes and pixels. A
/// JPEG may pass over the pixels 64 times, or 25 times at 40 megapixels (under a second).
public struct ImageLimits: Sendable, Hashable {
    /// The maximum number of bytes in a file.
    public var maxBytes: Int

    /// The maximum number of pixels, width × height, of an image or of one frame of it.
    public var maxPixels: Int

    /// 5 MB and 40 megapixels.
    ///
    /// 5 MB is 5 × 1,048,576 bytes, so that a file is accepted by either definition of a megabyte.
    public static let standard = ImageLimits()

    public init(maxBytes: Int = 5 * 1_048_576, maxPixels: Int = 40_000_000) {
        precondition(maxBytes > 0 && maxPixels > 0, "limits must be positive")
        (self.maxBytes, self.maxPixels) = (maxBytes, maxPixels)
    }

    /// Returns the maximum number of scans (passes over the picture) for a JPEG of `pixels`: 64, or
    /// fewer if that would exceed 1,000 million pixels of work, but always at least 16. Encoders
    /// write about 10. A file of thousands of empty scans takes seconds per kilobyte.
    static func scans(forPixels pixels: Int) -> Int {
        min(64, max(16, 1_000_000_000 / max(1, pixels)))
    }

    /// Returns the memory that a decoder may use in addition to the result: 32 MiB and 10 bytes per
    /// pixel, because a progressive JPEG of four colors needs 8.
    static func workingBytes(forPixels pixels: Int) -> Int { 32 << 20 + 10 * pixels }

    func check(byteCount: Int) throws(ImageError) {
        guard byteCount <= maxBytes else { throw .tooManyBytes(count: byteCount, limit: maxBytes) }
    }

    /// - Precondition: Both are in `0..<2^32`, like the numbers in a header.
    func check(width: Int, height: Int) throws(ImageError) {
        guard width < 1 << 31, height < 1 << 31, width * height <= maxPixels else {
            throw .tooManyPixels(width: width, height: height, limit: maxPixels)
        }
        guard RGBImage.sideRange.contains(width), RGBImage.sideRange.contains(height) else {
            throw .sides(width: width, height: height)
        }
    }
}
