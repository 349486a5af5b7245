/// The supported formats, recognized by their first bytes and never by the file name.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    case png, jpeg, gif

    /// The display name: "PNG", "JPEG", "GIF".
    public var name: String { rawValue.uppercased() }

    /// The bytes with which every file of the format begins.
    var signature: [UInt8] {
        switch self {
        case .png: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        case .jpeg: [0xFF, 0xD8, 0xFF]
        case .gif: Array("GIF8".utf8)  // "87a" or "89a" follows
        }
    }

    /// Returns the format of a file that begins with `bytes`.
    /// - Throws: ``ImageError/empty``; ``ImageError/truncated(_:)`` when the bytes end inside a
    ///   signature; ``ImageError/unsupportedType(_:)`` with the name of the detected type.
    static func of(_ bytes: Span<UInt8>) throws(ImageError) -> ImageFormat {
        guard !bytes.isEmpty else { throw .empty }
        if let format = allCases.first(where: { bytes.begins(with: $0.signature) }) {
            return format
        }
        if let format = allCases.first(where: { bytes.isShortened($0.signature) }) {
            throw .truncated(format)
        }
        throw .unsupportedType(foreignType(of: bytes))
    }
}
