import MienFace
import MienMedia

/// Small enough that an input takes milliseconds, but every limit can be reached.
private let limits = VideoLimits(maxBytes: 1 << 16, maxPixels: 1 << 18, maxDuration: .seconds(600))

/// Reads any bytes as a video. Must hold: the result is frames within the limits, with increasing
/// times, or a `MediaError`. Seeds: Tests/Engines/MienMediaTests/Media/Videos.
func fuzzVideo(_ bytes: [UInt8]) {
    guard let reader = try? FrameReader(bytes: bytes, limits: limits, longestSide: 256) else {
        return
    }
    var last: Duration?
    for number in 0..<50 {
        guard case .frame(let frame)? = try? reader.next() else { break }
        precondition(
            frame.number == number && last.map { $0 < frame.time } ?? true
                && frame.time <= limits.maxDuration)
        precondition(max(frame.image.width, frame.image.height) <= 256)
        precondition(frame.image.pixels.count == 3 * frame.image.width * frame.image.height)
        last = frame.time
    }
}
