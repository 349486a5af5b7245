import MienImage
import MienPixels

/// Small enough that an input takes microseconds; every limit is still reached.
private let limits = ImageLimits(maxBytes: 1 << 16, maxPixels: 1 << 20)

/// Decodes `bytes`. What must hold whatever they are: a picture or an ``ImageError``; a picture
/// within the limits, of the header's sides.
func fuzzDecoder(_ bytes: UnsafeBufferPointer<UInt8>) {
    let file = [UInt8](bytes)  // exactly as long, on the heap: one byte too far is seen
    guard let image = try? ImageDecoder.decode(file, limits: limits) else { return }
    precondition(
        image.width * image.height <= limits.maxPixels
            && image.pixels.count == 3 * image.width * image.height)
    guard let info = try? ImageDecoder.probe(file) else {
        preconditionFailure("decoded, but has no header")
    }
    precondition((info.uprightWidth, info.uprightHeight) == (image.width, image.height))
}
