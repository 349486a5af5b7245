internal import MienCore

/// The name with which an administrator signs in, in the form that is compared: Unicode NFKC,
/// case-folded, with single spaces. No two administrators who sign in share it.
public struct AdministratorName: Sendable, Hashable {
    /// In Unicode scalars.
    public static let maxLength = 100

    public let normal: String

    /// - Returns: `nil` for text that is empty, too long, or not one printable line.
    public init?(_ text: String) {
        guard text.unicodeScalars.count <= Self.maxLength, text.isStreamSafe, text.isPrintable
        else { return nil }
        let words = text.foldedName.split(whereSeparator: \.isWhitespace)
        guard !words.isEmpty else { return nil }
        normal = words.joined(separator: " ")
        guard normal.isPrintable else { return nil }
    }
}
