internal import MienAPI
internal import MienCore
internal import MienDocument
internal import MienFace
internal import MienMedia
internal import MienStore

/// The pictures of a document while it was tilted, as they are stored: each under a role of its own.
enum TiltSeries {
    static let frameRange = ReflectionCheck.frameRange

    /// The role of a picture, counted from 0: `tilta`, `tiltb`, and so on, because evidence names
    /// roles by letters.
    static func role(_ index: Int) -> String {
        "tilt" + String(UnicodeScalar(UInt8(ascii: "a") + UInt8(index)))
    }

    static let roles = (0..<frameRange.upperBound).map(role)

    /// The parts of the form that a client sends: `frame1`, `frame2`, and so on.
    static let fields = (1...frameRange.upperBound).map { "frame\($0)" }
    /// Room for all pictures, and for the header fields between them.
    static let maxBytes = frameRange.upperBound * PreviewService.maxBytes + 8 * 1024

    /// Reads the pictures of a form, in their order.
    ///
    /// - Throws: ``Problem``.
    static func frames(_ bytes: [UInt8], _ type: String) throws -> [[UInt8]] {
        let form: MultipartForm
        do throws(MultipartForm.Malformed) {
            form = try MultipartForm(parsing: bytes, contentType: type)
        } catch { throw Problem(.invalidRequest, "The form is malformed: \(error.reason).") }
        let unknown = form.parts.map(\.name).filter { !fields.contains($0) }
        guard unknown.isEmpty else {
            throw Problem(
                .invalidRequest,
                errors: unknown.map {
                    .init(
                        field: $0,
                        message: "is unknown; allowed are \(fields.joined(separator: ", "))")
                })
        }
        let frames = fields.compactMap { form[$0].map { Array($0) } }
        guard frameRange.contains(frames.count) else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: fields[0],
                        message:
                            "and the others must be \(frameRange.lowerBound) to \(frameRange.upperBound) pictures"
                    )
                ])
        }
        guard frames.allSatisfy({ $0.count <= PreviewService.maxBytes }) else {
            throw Problem(
                .payloadTooLarge, "A frame may have at most \(PreviewService.maxBytes) bytes.")
        }
        return frames
    }

    /// The stored pictures, as the client sent them; empty if there are none.
    static func frames(in images: [AttemptImage]) -> [[UInt8]] {
        roles.compactMap { role in
            images.first { $0.role == role }?.content?.use { $0 }
        }
    }

    /// The pictures that can be decoded: the others show no document.
    static func decoded(_ frames: [[UInt8]]) -> [RGBImage] {
        frames.compactMap { try? ImageDecoder.decode($0, limits: PreviewService.frameLimits) }
    }
}
