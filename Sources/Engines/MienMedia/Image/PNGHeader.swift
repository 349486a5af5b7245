/// Source: PNG (third edition), §5.3 chunk layout, §11.2.1 IHDR, §11.3.4.6 eXIf.
///
///     signature (8) · {length (4) · type (4) · data (length) · CRC (4)}…      numbers big-endian, IHDR first
func pngHeader(_ bytes: Span<UInt8>) throws(ImageError) -> ImageInfo {
    guard let width = bytes.big32(at: 16), let height = bytes.big32(at: 20) else {
        throw .truncated(.png)
    }
    guard bytes.big32(at: 8) == 13, bytes.holds(Array("IHDR".utf8), at: 12) else {
        throw .corrupt(.png)
    }
    return ImageInfo(
        format: .png, width: width, height: height, orientation: orientation(in: bytes))
}

/// Returns the orientation in the first eXIf chunk. If the chunk list is damaged, returns the
/// default; libpng reports the error later.
private func orientation(in bytes: Span<UInt8>) -> ImageOrientation {
    var offset = ImageFormat.png.signature.count
    while let length = bytes.big32(at: offset) {
        if bytes.holds(Array("eXIf".utf8), at: offset + 4), bytes.has(length, at: offset + 8) {
            return ImageOrientation(tiff: bytes.extracting(offset + 8..<offset + 8 + length))
                ?? .asStored
        }
        offset += 12 + length
    }
    return .asStored
}
