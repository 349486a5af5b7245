internal import MienPixels

/// What a video may cost. Beside these: 64 streams in a file, 5 MB and five seconds of it to find
/// out what it is, 1,000 packets in a row without a picture, 256 MiB for any one buffer of
/// FFmpeg's.
public struct VideoLimits: Sendable, Hashable {
    /// The most bytes a file may have.
    public var maxBytes: Int

    /// The most pixels, width × height, of a frame as it is stored.
    public var maxPixels: Int

    /// The longest video. Checked against what the file says of itself, and again by each frame's
    /// time. Cameras have no end.
    public var maxDuration: Duration

    /// 4 GiB, 4096 × 4096 pixels, one hour.
    public static let standard = VideoLimits()

    public init(
        maxBytes: Int = 4 << 30, maxPixels: Int = 4096 * 4096,
        maxDuration: Duration = .seconds(3600)
    ) {
        precondition(maxBytes > 0 && maxPixels > 0 && maxDuration > .zero, "limits are positive")
        (self.maxBytes, self.maxPixels, self.maxDuration) = (maxBytes, maxPixels, maxDuration)
    }

    /// Packets of the picture's stream in a row that give no picture, after which the file counts
    /// as damaged.
    static let fruitlessPackets = 1000

    func check(byteCount: Int) throws(MediaError) {
        guard byteCount > 0 else {
            throw MediaError(.empty, "The file has 0 bytes. Send the whole video.")
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
