internal import Foundation
internal import MienCore

/// A name that identifies an account, normalized for comparison.
public struct LoginName: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
        case externalID = "external_id"
        case username
        case email
    }

    /// The maximum length in UTF-8 bytes, without surrounding spaces.
    public static let maxBytes = 254
    /// The maximum length of a text in UTF-8 bytes before surrounding spaces are removed. Longer
    /// texts are refused before any other work.
    static let maxTypedBytes = 1024

    public let kind: Kind
    /// The compared form: Unicode NFKC, case-folded, without surrounding spaces. External
    /// identifiers are not normalized.
    public let normal: String

    /// - Throws: ``LoginNameError`` if the text is empty, too long, contains control characters or
    ///   spaces, or is not an email address.
    public init(_ text: String, kind: Kind) throws(LoginNameError) {
        guard text.utf8.count <= Self.maxTypedBytes, text.isStreamSafe else { throw .tooLong(kind) }
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else { throw .empty(kind) }
        guard trimmed.utf8.count <= Self.maxBytes else { throw .tooLong(kind) }
        let normal = kind == .externalID ? trimmed : Self.folded(trimmed)
        // Also checks the compared form: compatibility mapping turns some letters into spaces
        // (U+FDFA).
        guard !(trimmed.unicodeScalars + normal.unicodeScalars).contains(where: Self.isForbidden)
        else { throw .character(kind) }
        if kind == .email {
            let parts = normal.utf8.split(separator: At.byte, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, parts[0].count <= 64,
                parts[1].contains(At.dot), parts[1].first != At.dot, parts[1].last != At.dot
            else { throw .notAnAddress }
        }
        if kind == .username, normal.utf8.contains(At.byte) { throw .character(kind) }
        (self.kind, self.normal) = (kind, normal)
    }

    /// The form in which an unlabeled identifier might be typed, the same for every kind. Two
    /// people must not share it across kinds, or one could sign in as the other.
    public var identifier: String { kind == .externalID ? Self.folded(normal) : normal }

    /// Returns every name that `text` might mean, to look up an unlabeled identifier.
    ///
    /// - Returns: an empty array for text that cannot be a name, such as text that is too long;
    ///   such text is not normalized.
    public static func candidates(_ text: String) -> [LoginName] {
        guard text.utf8.count <= maxTypedBytes, text.isStreamSafe else { return [] }
        // Includes a full-width “＠”.
        let kinds: [Kind] =
            Self.folded(text).utf8.contains(At.byte)
            ? [.email, .externalID] : [.username, .externalID]
        return kinds.compactMap { try? LoginName(text, kind: $0) }
    }

    /// Folds case, then composes again, because folding decomposes some letters.
    private static func folded(_ text: String) -> String {
        text.precomposedStringWithCompatibilityMapping.lowercased()
            .precomposedStringWithCompatibilityMapping
    }

    /// Compared as bytes, because a combining mark after “@” would make it another `Character`.
    private enum At { static let byte = UInt8(ascii: "@"), dot = UInt8(ascii: ".") }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar.properties.isWhitespace
    }
}

/// The reason a text is not a login name. Does not contain the text.
public enum LoginNameError: Error, Sendable, Equatable, CustomStringConvertible {
    case empty(LoginName.Kind)
    case tooLong(LoginName.Kind)
    case character(LoginName.Kind)
    case notAnAddress

    public var description: String {
        switch self {
        case .empty(let kind): "\(kind.rawValue) is empty"
        case .tooLong(let kind): "\(kind.rawValue) has more than 254 bytes"
        case .character(.username): "username must not contain spaces, control characters, or “@”"
        case .character(let kind): "\(kind.rawValue) must not contain spaces or control characters"
        case .notAnAddress: "email must be an address like name@example.org"
        }
    }
}
