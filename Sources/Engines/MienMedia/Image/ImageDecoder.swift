internal import CMienMedia
public import MienFace

/// Decodes untrusted PNG, JPEG, and GIF bytes to upright RGB images.
///
///     let image = try ImageDecoder.decode(bytes)
///
/// Supports all of PNG; baseline and progressive JPEG in grayscale, color, CMYK, and YCCK; and a
/// GIF's first frame on its logical screen. Applies the EXIF orientation. Decodes a JPEG of more
/// pixels than ``ImageLimits/maxPixels`` at a part of its sides. Treats colors as sRGB,
/// without applying color profiles or gamma. Returns a complete picture or throws an error;
/// truncated or damaged parts are never filled with gray.
public enum ImageDecoder {
    /// The background of transparent pixels: white, like a page, so that a cut-out portrait has a
    /// bright background.
    public static let background = RGBColor.white

    /// Decodes a whole file into an upright picture.
    ///
    /// - Throws: ``ImageError``. Checks size and pixel limits first, against the header, before
    ///   allocating memory.
    public static func decode(_ bytes: [UInt8], limits: ImageLimits = .standard) throws(ImageError)
        -> RGBImage
    {
        try decode(bytes.span, limits: limits)
    }

    /// Decodes bytes owned by the caller, like ``decode(_:limits:)-([UInt8],_)``.
    public static func decode(_ bytes: Span<UInt8>, limits: ImageLimits = .standard)
        throws(ImageError) -> RGBImage
    {
        try limits.check(byteCount: bytes.count)
        let info = try ImageInfo(readingHeaderOf: bytes)
        try limits.check(info)
        let divisor = limits.divisor(of: info)
        let (width, height) = (info.width.divided(by: divisor), info.height.divided(by: divisor))
        let pixels = try pixels(
            of: bytes, info, width: width, height: height, divisor: divisor, limits: limits)
        return info.orientation.applied(
            to: RGBImage(decodedWidth: width, height: height, pixels: pixels))
    }

    /// Reads only the header: format, sides, and orientation. Checks neither the size nor the sides
    /// against a limit.
    /// - Throws: ``ImageError/empty``, ``ImageError/unsupportedType(_:)``,
    ///   ``ImageError/truncated(_:)`` when even the header is incomplete,
    ///   ``ImageError/corrupt(_:)``.
    public static func probe(_ bytes: [UInt8]) throws(ImageError) -> ImageInfo {
        try ImageInfo(readingHeaderOf: bytes.span)
    }

    /// Probes bytes owned by the caller, like ``probe(_:)-([UInt8])``.
    public static func probe(_ bytes: Span<UInt8>) throws(ImageError) -> ImageInfo {
        try ImageInfo(readingHeaderOf: bytes)
    }
}

extension ImageDecoder {
    /// Returns the pixels as stored, `3 × width × height` bytes.
    ///
    /// - Parameter divisor: The sides of the file ÷ `width` and `height`, rounded up.
    private static func pixels(
        of bytes: Span<UInt8>, _ info: ImageInfo, width: Int, height: Int, divisor: Int,
        limits: ImageLimits
    ) throws(ImageError) -> [UInt8] {
        if info.format == .gif {
            let frame = try gifFirstFrame(bytes)
            try limits.check(width: frame.width, height: frame.height)
        }
        let size = 3 * width * height
        var status = Int32(mien_image_corrupt)
        let pixels = unsafe [UInt8](unsafeUninitializedCapacity: size) { rgb, count in
            status = unsafe fill(rgb.baseAddress, from: bytes, info, divisor: divisor, limits)
            count = status == mien_image_ok ? size : 0
        }
        if let error = ImageError(status: status, info.format) { throw error }
        return pixels
    }

    private static func fill(
        _ rgb: UnsafeMutablePointer<UInt8>?, from bytes: Span<UInt8>, _ info: ImageInfo,
        divisor: Int, _ limits: ImageLimits
    ) -> Int32 {
        let (width, height, pixels) = (
            Int32(info.width), Int32(info.height), info.width * info.height
        )
        let white = Int32(background.red)
        return unsafe bytes.withUnsafeBytes { file in
            switch info.format {
            case .png:
                unsafe mien_png_decode(file.baseAddress, file.count, rgb, width, height, white)
            case .jpeg:
                unsafe mien_jpeg_decode(
                    file.baseAddress, file.count, rgb, width, height, Int32(divisor),
                    Int32(ImageLimits.scans(forPixels: pixels)),
                    Int64(limits.workingBytes(forPixels: pixels)))
            case .gif:
                unsafe mien_gif_decode(
                    file.baseAddress, file.count, rgb, width, height, white, Int64(limits.maxPixels)
                )
            }
        }
    }
}

extension ImageError {
    /// - Parameter status: A status of CMienImage.h.
    fileprivate init?(status: Int32, _ format: ImageFormat) {
        switch Int(status) {
        case mien_image_ok: return nil
        case mien_image_truncated: self = .truncated(format)
        case mien_image_unsupported: self = .unsupportedType("a rare kind of \(format.name)")
        // Do not end the process when a library runs out of memory, because a file may have
        // requested it.
        case mien_image_too_complex, mien_image_no_memory: self = .tooComplex(format)
        default: self = .corrupt(format)
        }
    }
}

extension RGBImage {
    /// - Precondition: The sides are in range and `pixels` fits them, as checked by the decoder.
    init(decodedWidth width: Int, height: Int, pixels: [UInt8]) {
        do { self = try RGBImage(width: width, height: height, pixels: pixels) } catch {
            preconditionFailure(
                "a decoder returned \(pixels.count) bytes for \(width)×\(height) pixels")
        }
    }
}
