/// The properties in a file's header. Nothing has been decoded, so the picture may still be
/// damaged.
public struct ImageInfo: Sendable, Hashable {
    public let format: ImageFormat

    /// Sides as stored, in pixels, not yet checked against a limit. For a GIF, those of the logical
    /// screen.
    public let width, height: Int

    /// The transformation that turns the stored rows upright; ``ImageOrientation/asStored`` without
    /// a readable EXIF orientation.
    public let orientation: ImageOrientation

    /// Sides as displayed and as ``ImageDecoder`` returns them.
    public var uprightWidth: Int { orientation.swapsSides ? height : width }
    public var uprightHeight: Int { orientation.swapsSides ? width : height }

    init(format: ImageFormat, width: Int, height: Int, orientation: ImageOrientation = .asStored) {
        (self.format, self.width, self.height, self.orientation) = (
            format, width, height, orientation
        )
    }

    /// - Throws: The errors of ``ImageDecoder/probe(_:)-([UInt8])``.
    init(readingHeaderOf bytes: Span<UInt8>) throws(ImageError) {
        switch try ImageFormat.of(bytes) {
        case .png: self = try pngHeader(bytes)
        case .jpeg: self = try jpegHeader(bytes)
        case .gif: self = try gifHeader(bytes)
        }
    }
}
