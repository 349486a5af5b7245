internal import MienFace

/// The maximum cost of a video. In addition, these limits always apply: 64 streams per file; 5 MB
/// and five seconds of the file to identify its format; 1,000 consecutive packets without a
/// picture; 256 MiB for any one FFmpeg buffer.
public struct VideoLimits: Sendable, Hashable {
    /// The maximum number of bytes in a file.
    public var maxBytes: Int

    /// The maximum number of pixels, width × height, of a frame as stored.
    public var maxPixels: Int

    /// The maximum duration. Checked against the duration that the file states and against each
    /// frame's time. Cameras have no limit.
    public var maxDuration: Duration

    /// 4 GiB, 4096 × 4096 pixels, one hour.
    public static let standard = VideoLimits()

    public init(
        maxBytes: Int = 4 << 30, maxPixels: Int = 4096 * 4096,
        maxDuration: Duration = .seconds(3600)
    ) {
        precondition(
            maxBytes > 0 && maxPixels > 0 && maxDuration > .zero, "limits must be positive")
        (self.maxBytes, self.maxPixels, self.maxDuration) = (maxBytes, maxPixels, maxDuration)
    }

    /// The number of consecutive video packets without a picture after which the file counts as
    /// damaged.
    static let fruitlessPackets = 1000

    func check(byteCount: Int) throws(MediaError) {
        guard byteCount > 0 else {
            throw MediaError(.empty, "The file is empty (0 bytes). Send the whole video.")
        }
        guard byteCount <= maxBytes else {
            throw MediaError(
                .tooManyBytes,
                "The video has \(byteCount) bytes, over the limit of \(maxBytes). Cut it or compress it more."
            )
        }
    }

    func check(width: Int, height: Int) throws(MediaError) {
        guard RGBImage.sideRange.contains(width), RGBImage.sideRange.contains(height) else {
            throw MediaError(
                .sides,
                "The video's frames have \(width) × \(height) pixels; each side must have 1 to \(RGBImage.sideRange.upperBound)."
            )
        }
        guard width * height <= maxPixels else {
            throw MediaError(
                .tooManyPixels,
                "The video's frames have \(width) × \(height) pixels, over the limit of \(maxPixels). Scale it down."
            )
        }
    }

    func check(_ time: Duration) throws(MediaError) {
        guard time <= maxDuration else {
            let seconds = Int(time.components.seconds)
            throw MediaError(
                .tooLong,
                "The video is \(seconds) s long or longer, over the limit of \(maxDuration.components.seconds) s. Cut it."
            )
        }
    }
}
