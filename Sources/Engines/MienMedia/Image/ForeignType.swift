/// Returns the type of a file that is not PNG, JPEG, or GIF, in words for its sender: "HEIC", "a
/// PDF document".
///
/// The signatures are those of libmagic and of the formats' own documents. Covers only types that
/// people send by mistake.
func foreignType(of bytes: Span<UInt8>) -> String {
    signatures.first { bytes.holds($0.bytes, at: $0.offset) }?.name ?? mediaType(of: bytes)
        ?? textType(of: bytes) ?? "an unknown type"
}

private struct Signature {
    let offset: Int
    let bytes: [UInt8]
    let name: String

    init(_ text: String, at offset: Int = 0, _ name: String) {
        self.init(Array(text.utf8), at: offset, name)
    }

    init(_ bytes: [UInt8], at offset: Int = 0, _ name: String) {
        (self.offset, self.bytes, self.name) = (offset, bytes, name)
    }
}

private let signatures = [
    Signature("WEBP", at: 8, "WebP"),
    Signature("BM", "BMP"),
    Signature("II*\0", "TIFF"),
    Signature("MM\0*", "TIFF"),
    Signature("%PDF", "a PDF document"),
    Signature([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20], "JPEG XL"),
    Signature([0xFF, 0x0A], "JPEG XL"),
    Signature([0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20], "JPEG 2000"),
    Signature([0xFF, 0x4F, 0xFF, 0x51], "JPEG 2000"),
    Signature([0, 0, 1, 0], "an icon (ICO)"),
    Signature([0x1A, 0x45, 0xDF, 0xA3], "a video (Matroska or WebM)"),
    Signature("PK\u{3}\u{4}", "a ZIP archive"),
    Signature("8BPS", "a Photoshop document"),
]

/// Detects the ISO base media file format, whose brands are in the box "ftyp": the major one, a
/// version, and the compatible ones (ISO/IEC 14496-12 §4.3).
///
/// Looks at the compatible brands, too, because the major one may be general (`mif1`, `miaf`) or a
/// vendor's own. A brand of still pictures decides: no camera writes one into a video.
private func mediaType(of bytes: Span<UInt8>) -> String? {
    guard bytes.holds(Array("ftyp".utf8), at: 4), let size = bytes.big32(at: 0) else { return nil }
    // A box that claims no size, or more than is there, has at least a major brand.
    let end = min(max(size, 12), bytes.count, 8 + 4 * 64)
    let brands = stride(from: 8, through: end - 4, by: 4).filter { $0 != 12 }.map {
        bytes.text($0..<$0 + 4)
    }
    func has(_ names: Set<String>) -> Bool { brands.contains(where: names.contains) }
    if has(["crx "]) { return "a raw photo (CR3)" }
    if has(["avif", "avis", "avio"]) { return "AVIF" }
    if has(heifBrands) || brands.contains(where: { $0.hasPrefix("MiH") }) { return "HEIC" }
    return "a video (MP4 or QuickTime)"
}

/// The brands of HEIF (ISO/IEC 23008-12 §10 and annexes) and of its profiles (ISO/IEC 23000-22).
private let heifBrands: Set<String> = [
    "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "heif", "mif1", "mif2", "msf1",
    "miaf", "MiPr", "MiAn", "MiCm", "mihe", "avci", "avcs", "jpeg", "jpgs", "vvic", "evbi", "unif",
]

private func textType(of bytes: Span<UInt8>) -> String? {
    let start = bytes.text(0..<min(bytes.count, 256)).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        .lowercased()
    if start.hasPrefix("<svg") || start.hasPrefix("<?xml") && start.contains("<svg") {
        return "SVG"
    }
    if start.hasPrefix("<!doctype html") || start.hasPrefix("<html") { return "text/HTML" }
    if start.hasPrefix("data:image/") { return "a data: URL" }
    if start.hasPrefix("ivborw0kggo") || start.hasPrefix("/9j/") || start.hasPrefix("r0lgod") {
        return "Base64 text"
    }
    return start.utf8.allSatisfy {
        $0 >= 0x20 && $0 < 0x7F || $0 == 0x0A || $0 == 0x0D || $0 == 0x09
    } ? "text" : nil
}
