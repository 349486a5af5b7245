import MienFace
import MienMedia

/// Small enough that an input takes microseconds, but every limit can be reached.
private let limits = ImageLimits(maxBytes: 1 << 16, maxPixels: 1 << 20)

/// Decodes a file. Must hold: the result is an ``ImageError``, or a picture within the limits with
/// the dimensions of its header.
func fuzzDecoder(_ file: [UInt8]) {
    guard let image = try? ImageDecoder.decode(file, limits: limits) else { return }
    precondition(
        image.width * image.height <= limits.maxPixels
            && image.pixels.count == 3 * image.width * image.height)
    guard let info = try? ImageDecoder.probe(file) else {
        preconditionFailure("a decoded picture has no header")
    }
    precondition((info.uprightWidth, info.uprightHeight) == (image.width, image.height))
}
