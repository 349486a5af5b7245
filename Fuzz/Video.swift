import MienMedia
import MienPixels

/// Small enough that an input takes milliseconds; every limit is still reached.
private let limits = VideoLimits(maxBytes: 1 << 16, maxPixels: 1 << 18, maxDuration: .seconds(600))

/// Any bytes as a video. What must hold whatever they are: frames within the limits, with times
/// that rise, or a `MediaError`. Seeds: Tests/Engines/MienMediaTests/Vectors/Video.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    // exactly as long, on the heap: one byte too far is seen
    let file = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let reader = try? FrameReader(bytes: file, limits: limits, longestSide: 256) else {
        return 0
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
    return 0
}
