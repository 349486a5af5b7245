/// Source: GIF89a specification, §18 logical screen, §20 image descriptor, §22 image data, §23–27
/// extensions and trailer.
///
///     "GIF87a"|"GIF89a" · width (2) · height (2) · flags · background · aspect · [palette] · {image | extension}… · 3B
///
/// Numbers are little-endian.
func gifHeader(_ bytes: Span<UInt8>) throws(ImageError) -> ImageInfo {
    guard let width = bytes.little16(at: 6), let height = bytes.little16(at: 8) else {
        throw .truncated(.gif)
    }
    guard bytes.holds(Array("7a".utf8), at: 4) || bytes.holds(Array("9a".utf8), at: 4) else {
        throw .corrupt(.gif)
    }
    return ImageInfo(format: .gif, width: width, height: height)
}

/// Walks all blocks to the trailer, so that a truncated file is detected even if its first frame is
/// complete.
/// - Returns: The sides of the first frame, which may be larger than the screen.
/// - Throws: ``ImageError/truncated(_:)`` or ``ImageError/corrupt(_:)``.
func gifFirstFrame(_ bytes: Span<UInt8>) throws(ImageError) -> (width: Int, height: Int) {
    guard let flags = bytes.byte(at: 10) else { throw .truncated(.gif) }
    var first: (width: Int, height: Int)?
    var offset = 13 + paletteBytes(flags)
    while let block = bytes.byte(at: offset) {
        switch block {
        case 0x2C:
            guard let width = bytes.little16(at: offset + 5),
                let height = bytes.little16(at: offset + 7),
                let flags = bytes.byte(at: offset + 9)
            else { throw .truncated(.gif) }
            first = first ?? (width, height)
            // 1: the LZW code size
            offset = try endOfSubBlocks(in: bytes, from: offset + 10 + paletteBytes(flags) + 1)
        case 0x21:
            offset = try endOfSubBlocks(in: bytes, from: offset + 2)
        case 0x3B:
            guard let first else { throw .corrupt(.gif) }
            return first
        default:
            throw .corrupt(.gif)
        }
    }
    throw .truncated(.gif)
}

/// Bit 7 indicates a palette; bits 0–2 give its size, 2^(n+1) colors.
private func paletteBytes(_ flags: UInt8) -> Int {
    flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
}

/// Skips sub-blocks. Each is a count followed by that many bytes; a count of 0 ends them.
private func endOfSubBlocks(in bytes: Span<UInt8>, from start: Int) throws(ImageError) -> Int {
    var offset = start
    while let count = bytes.byte(at: offset) {
        offset += 1 + Int(count)
        if count == 0 { return offset }
    }
    throw .truncated(.gif)
}
