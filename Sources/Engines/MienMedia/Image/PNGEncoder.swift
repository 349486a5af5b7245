internal import CMienMedia
public import MienFace

/// Writes 8-bit RGB PNG files, lossless and without metadata.
public enum PNGEncoder {
    public static func encode(_ image: RGBImage) -> [UInt8] {
        unsafe encodedBytes { out, count in
            unsafe image.pixels.withUnsafeBytes {
                unsafe mien_png_encode(
                    $0.baseAddress, Int32(image.width), Int32(image.height), out, count)
            }
        }
    }
}

/// Copies the output of a C encoder and frees it. Encoding a valid image fails only when memory
/// runs out.
@unsafe func encodedBytes(
    _ encode: (UnsafeMutablePointer<UnsafeMutableRawPointer?>, UnsafeMutablePointer<Int>) -> Int32
) -> [UInt8] {
    var bytes: UnsafeMutableRawPointer?
    var count = 0
    defer { unsafe mien_image_free(bytes) }
    guard unsafe encode(&bytes, &count) == mien_image_ok else { fatalError("out of memory") }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
}
