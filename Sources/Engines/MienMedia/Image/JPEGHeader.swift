/// Source: ITU-T T.81 annex B (markers, SOF), Exif 3.0 §4.5 (APP1).
///
///     SOI · {FF… marker · length (2, itself included) · data}…
///     · SOFn: precision (1) height (2) width (2) components (1) … · SOS
///
/// Reads up to the first SOS, because the orientation may come before or after SOFn.
func jpegHeader(_ bytes: Span<UInt8>) throws(ImageError) -> ImageInfo {
    var size: (width: Int, height: Int)?
    var orientation: ImageOrientation?
    var offset = 2
    while true {
        let (marker, data) = try nextSegment(in: bytes, from: &offset)
        switch marker {
        case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
            if size == nil { size = try frameSize(in: bytes, at: data.lowerBound, marker: marker) }
        case 0xE1:
            orientation = orientation ?? exifOrientation(bytes.extracting(data))
        case 0xDA:
            guard let size else { throw .corrupt(.jpeg) }
            return ImageInfo(
                format: .jpeg, width: size.width, height: size.height,
                orientation: orientation ?? .asStored)
        case 0xD9:
            throw .corrupt(.jpeg)  // the end, before any picture
        default:
            break
        }
    }
}

/// Returns the next marker and the range of its data. Skips stray bytes before a marker, like every
/// decoder.
private func nextSegment(in bytes: Span<UInt8>, from offset: inout Int) throws(ImageError) -> (
    marker: UInt8, data: Range<Int>
) {
    while let marker = bytes.byte(at: offset + 1) {
        guard bytes[offset] == 0xFF, marker != 0, marker != 0xFF else {
            offset += 1
            continue
        }
        offset += 2
        if marker == 0xD9 { return (marker, offset..<offset) }
        // Standalone markers that have no meaning here.
        if marker == 0x01 || (0xD0...0xD8).contains(marker) { continue }
        guard let length = bytes.big16(at: offset) else { throw .truncated(.jpeg) }
        guard length >= 2 else { throw .corrupt(.jpeg) }
        guard bytes.has(length, at: offset) else { throw .truncated(.jpeg) }
        defer { offset += length }
        return (marker, offset + 2..<offset + length)
    }
    throw .truncated(.jpeg)
}

private func frameSize(in bytes: Span<UInt8>, at offset: Int, marker: UInt8) throws(ImageError) -> (
    width: Int, height: Int
) {
    guard let precision = bytes.byte(at: offset), let height = bytes.big16(at: offset + 1),
        let width = bytes.big16(at: offset + 3),
        let components = bytes.byte(at: offset + 5)
    else { throw .truncated(.jpeg) }
    guard [0xC0, 0xC1, 0xC2, 0xC9, 0xCA].contains(marker) else {
        throw .unsupportedType("a lossless or hierarchical JPEG")
    }
    guard precision == 8 else { throw .unsupportedType("a JPEG of \(precision) bits per color") }
    guard [1, 3, 4].contains(components) else {
        throw .unsupportedType("a JPEG of \(components) colors")
    }
    return (width, height)
}

private func exifOrientation(_ data: Span<UInt8>) -> ImageOrientation? {
    let mark = Array("Exif\0".utf8)
    guard data.begins(with: mark), data.count > mark.count else { return nil }
    // One byte of padding follows the mark.
    return ImageOrientation(tiff: data.extracting(mark.count + 1..<data.count))
}
