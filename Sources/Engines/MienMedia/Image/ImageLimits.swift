internal import MienFace

/// The maximum cost of an image, checked before anything is allocated or decompressed.
///
/// Other bounds follow from it: each side is within `RGBImage.sideRange`. Decoding takes at most 32
/// MiB and 10 bytes per pixel, up to ``maxPixels``, in addition to the result. The time is linear in
/// bytes and pixels. A JPEG may pass over the pixels 64 times, or 25 times at 40 megapixels (under a
/// second), or 12 times at 200.
public struct ImageLimits: Sendable, Hashable {
    /// The maximum number of bytes in a file.
    public var maxBytes: Int

    /// The maximum number of pixels, width × height, of a decoded image or of one frame of it.
    public var maxPixels: Int

    /// The maximum number of pixels of a JPEG. One of more than ``maxPixels`` is decoded at a half,
    /// a quarter, or an eighth of its sides, so that it needs no more memory than others. Not below
    /// ``maxPixels``.
    public var maxJPEGPixels: Int

    /// 16 MB, 40 megapixels, and 200 megapixels for a JPEG, which is what phones take.
    ///
    /// 16 MB is 16 × 1,048,576 bytes, so that a file is accepted by either definition of a megabyte.
    public static let standard = ImageLimits()

    /// The standard limits of pixels.
    public init(maxBytes: Int = 16 * 1_048_576) {
        self.init(maxBytes: maxBytes, maxPixels: 40_000_000, maxJPEGPixels: 200_000_000)
    }

    /// - Parameter maxJPEGPixels: As many as `maxPixels` if it is `nil`.
    public init(maxBytes: Int = 16 * 1_048_576, maxPixels: Int, maxJPEGPixels: Int? = nil) {
        precondition(maxBytes > 0 && maxPixels > 0, "limits must be positive")
        precondition(maxJPEGPixels ?? maxPixels >= maxPixels, "a JPEG may have as many pixels")
        (self.maxBytes, self.maxPixels) = (maxBytes, maxPixels)
        self.maxJPEGPixels = maxJPEGPixels ?? maxPixels
    }

    /// Returns the maximum number of scans (passes over the picture) for a JPEG of `pixels`: 64, or
    /// fewer if that would exceed 1,000 million pixels of work, but always at least 12. Encoders
    /// write about 10. A file of thousands of empty scans takes seconds per kilobyte.
    static func scans(forPixels pixels: Int) -> Int {
        min(64, max(12, 1_000_000_000 / max(1, pixels)))
    }

    /// Returns the memory that a decoder may use in addition to the result: 32 MiB and 10 bytes per
    /// pixel, because a progressive JPEG of four colors needs 8. No more for a JPEG that is decoded at
    /// a part of its sides: the usual kind needs none, and one of 140 megapixels with several scans
    /// fits.
    func workingBytes(forPixels pixels: Int) -> Int { 32 << 20 + 10 * min(pixels, maxPixels) }

    /// Returns the divisor of the sides with which a picture is decoded: 1, or 2, 4, or 8 for a JPEG
    /// that would be too large otherwise.
    ///
    /// - Precondition: ``check(_:)`` accepts it.
    func divisor(of info: ImageInfo) -> Int {
        [1, 2, 4].first { info.width.divided(by: $0) * info.height.divided(by: $0) <= maxPixels }
            ?? 8
    }

    func check(_ info: ImageInfo) throws(ImageError) {
        try check(
            width: info.width, height: info.height,
            maxPixels: info.format == .jpeg ? maxJPEGPixels : maxPixels)
    }

    func check(byteCount: Int) throws(ImageError) {
        guard byteCount <= maxBytes else { throw .tooManyBytes(count: byteCount, limit: maxBytes) }
    }

    /// - Precondition: Both are in `0..<2^32`, like the numbers in a header.
    func check(width: Int, height: Int, maxPixels: Int? = nil) throws(ImageError) {
        let limit = maxPixels ?? self.maxPixels
        guard width < 1 << 31, height < 1 << 31, width * height <= limit else {
            throw .tooManyPixels(width: width, height: height, limit: limit)
        }
        guard RGBImage.sideRange.contains(width), RGBImage.sideRange.contains(height) else {
            throw .sides(width: width, height: height)
        }
    }
}

extension Int {
    /// Rounds up, as libjpeg does.
    func divided(by divisor: Int) -> Int { (self + divisor - 1) / divisor }
}
