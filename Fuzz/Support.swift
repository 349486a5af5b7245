import MienFace
import MienMedia

/// Small enough that an input takes microseconds, but every limit can be reached.
private let limits = ImageLimits(maxBytes: 1 << 16, maxPixels: 1 << 20)

/// Decodes `bytes`. Must hold: the result is an ``ImageError``, or a picture within the limits with
/// the dimensions of its header.
func fuzzDecoder(_ bytes: UnsafeBufferPointer<UInt8>) {
    // On the heap with its exact length, so that AddressSanitizer sees overreads.
    let file = [UInt8](bytes)
    guard let image = try? ImageDecoder.decode(file, limits: limits) else { return }
    precondition(
        image.width * image.height <= limits.maxPixels
            && image.pixels.count == 3 * image.width * image.height)
    guard let info = try? ImageDecoder.probe(file) else {
        preconditionFailure("a decoded picture has no header")
    }
    precondition((info.uprightWidth, info.uprightHeight) == (image.width, image.height))
}
