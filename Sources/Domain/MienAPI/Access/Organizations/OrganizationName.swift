internal import MienCore

/// The name of an organization, in the form that lists are sorted and searched by: Unicode NFKC,
/// case-folded, with single spaces.
public struct OrganizationName: Sendable, Hashable {
    /// In Unicode scalars.
    public static let maxLength = 100

    public let text: String
    public let normal: String

    /// - Returns: `nil` for text that is empty, too long, or not one printable line.
    public init?(_ text: String) {
        guard text.unicodeScalars.count <= Self.maxLength, text.isStreamSafe, text.isPrintable
        else { return nil }
        let words = text.foldedName.split(whereSeparator: \.isWhitespace)
        guard !words.isEmpty else { return nil }
        self.text = text
        normal = words.joined(separator: " ")
        guard normal.isPrintable else { return nil }
    }
}
