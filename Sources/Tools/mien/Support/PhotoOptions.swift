import ArgumentParser
import MienFace
import MienMedia
import MienTools

/// Limits for photos.
struct PhotoOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Refuse larger photo files.", valueName: "bytes"))
    var maxBytes = ImageLimits.standard.maxBytes

    func decode(_ path: String) throws -> RGBImage {
        guard maxBytes > 0 else {
            throw ValidationError("--max-bytes must be greater than 0")
        }
        let limits = ImageLimits(maxBytes: maxBytes)
        let bytes = try ImageFile.read(path, limits: limits)
        do { return try ImageDecoder.decode(bytes, limits: limits) } catch {
            throw Failure(.badInput, error.code.rawValue, "\(path): \(error)")
        }
    }
}
