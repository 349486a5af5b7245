internal import CMienImage
public import MienPixels

/// Makes upright RGB images of untrusted PNG, JPEG and GIF bytes.
///
///     let image = try ImageDecoder.decode(bytes)
///
/// All of PNG; baseline and progressive JPEG in grey, colour, CMYK and YCCK; a GIF's first frame on
/// its logical screen. EXIF orientation is applied. Colours are taken as sRGB: colour profiles and
/// gamma are not applied. A picture is whole or it is an error: what is cut off or damaged is never
/// filled with grey.
public enum ImageDecoder {
    /// What shows through transparent pixels: white, as pages and paper are, so that a cut-out
    /// portrait stands before a light ground.
    public static let background = RGBColour.white

    /// The picture in the bytes of a whole file, upright.
    ///
    /// - Throws: ``ImageError``; size and pixel limits are checked first, by the header, before any
    ///   memory is taken.
    public static func decode(_ bytes: [UInt8], limits: ImageLimits = .standard) throws(ImageError)
        -> RGBImage
    {
        try decode(bytes.span, limits: limits)
    }

    /// As ``decode(_:limits:)-([UInt8],_)``, of bytes that somebody else owns.
    public static func decode(_ bytes: Span<UInt8>, limits: ImageLimits = .standard)
        throws(ImageError) -> RGBImage
    {
        try limits.check(byteCount: bytes.count)
        let info = try ImageInfo(readingHeaderOf: bytes)
        try limits.check(width: info.width, height: info.height)
        let pixels = try pixels(of: bytes, info, limits: limits)
        return info.orientation.applied(
            to: RGBImage(decodedWidth: info.width, height: info.height, pixels: pixels))
    }

    /// Reads the header only: format, sides, orientation. Neither size nor sides are checked
    /// against any limit.
    /// - Throws: ``ImageError/empty``, ``ImageError/unsupportedType(_:)``,
    ///   ``ImageError/truncated(_:)`` when not even the header is whole,
    ///   ``ImageError/corrupt(_:)``.
    public static func probe(_ bytes: [UInt8]) throws(ImageError) -> ImageInfo {
        try ImageInfo(readingHeaderOf: bytes.span)
    }

    /// As ``probe(_:)-([UInt8])``, of bytes that somebody else owns.
    public static func probe(_ bytes: Span<UInt8>) throws(ImageError) -> ImageInfo {
        try ImageInfo(readingHeaderOf: bytes)
    }
}

extension ImageDecoder {
    /// Pixels as stored, `3 × width × height` bytes.
    private static func pixels(of bytes: Span<UInt8>, _ info: ImageInfo, limits: ImageLimits)
        throws(ImageError) -> [UInt8]
    {
        if info.format == .gif {
            let frame = try gifFirstFrame(bytes)
            try limits.check(width: frame.width, height: frame.height)
        }
        let size = 3 * info.width * info.height
        var status = Int32(mien_image_corrupt)
        let pixels = unsafe [UInt8](unsafeUninitializedCapacity: size) { rgb, count in
            status = unsafe fill(rgb.baseAddress, from: bytes, info, limits)
            count = status == mien_image_ok ? size : 0
        }
        if let error = ImageError(status: status, info.format) { throw error }
        return pixels
    }

    private static func fill(
        _ rgb: UnsafeMutablePointer<UInt8>?, from bytes: Span<UInt8>, _ info: ImageInfo,
        _ limits: ImageLimits
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
                    file.baseAddress, file.count, rgb, width, height,
                    Int32(ImageLimits.scans(forPixels: pixels)),
                    Int64(ImageLimits.workingBytes(forPixels: pixels)))
            case .gif:
                unsafe mien_gif_decode(
                    file.baseAddress, file.count, rgb, width, height, white, Int64(limits.maxPixels)
                )
            }
        }
    }
}

extension ImageError {
    /// - Parameter status: one of CMienImage.h's.
    fileprivate init?(status: Int32, _ format: ImageFormat) {
        switch Int(status) {
        case mien_image_ok: return nil
        case mien_image_truncated: self = .truncated(format)
        case mien_image_unsupported: self = .unsupportedType("a rare kind of \(format.name)")
        // Memory that a library could not get is not ours to end the process for: a file may have
        // asked for it.
        case mien_image_too_complex, mien_image_no_memory: self = .tooComplex(format)
        default: self = .corrupt(format)
        }
    }
}

extension RGBImage {
    /// - Precondition: sides are in range and `pixels` fit them, as the decoder has checked.
    init(decodedWidth width: Int, height: Int, pixels: [UInt8]) {
        do { self = try RGBImage(width: width, height: height, pixels: pixels) } catch {
            preconditionFailure("a decoder made \(pixels.count) bytes of \(width)×\(height) pixels")
        }
    }
}
