/// What a file's header says. Nothing is decoded, so that the picture may still turn out to be
/// broken.
public struct ImageInfo: Sendable, Hashable {
    public let format: ImageFormat

    /// Sides as stored, in pixels; not yet checked against any limit. A GIF's are its logical
    /// screen's.
    public let width, height: Int

    /// What brings the stored rows upright; ``ImageOrientation/asStored`` without a readable EXIF
    /// orientation.
    public let orientation: ImageOrientation

    /// Sides as shown, and as ``ImageDecoder`` gives them.
    public var uprightWidth: Int { orientation.swapsSides ? height : width }
    public var uprightHeight: Int { orientation.swapsSides ? width : height }

    init(format: ImageFormat, width: Int, height: Int, orientation: ImageOrientation = .asStored) {
        (self.format, self.width, self.height, self.orientation) = (
            format, width, height, orientation
        )
    }

    /// - Throws: as ``ImageDecoder/probe(_:)-([UInt8])``.
    init(readingHeaderOf bytes: Span<UInt8>) throws(ImageError) {
        switch try ImageFormat.of(bytes) {
        case .png: self = try pngHeader(bytes)
        case .jpeg: self = try jpegHeader(bytes)
        case .gif: self = try gifHeader(bytes)
        }
    }
}
