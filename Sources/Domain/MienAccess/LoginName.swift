internal import Foundation
internal import MienCore

/// A name to find an account by: as typed, and in the one form that is compared.
public struct LoginName: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
        case externalID = "external_id"
        case username
        case email
    }

    /// UTF-8 bytes, spaces around it not counted.
    public static let maxBytes = 254
    /// UTF-8 bytes of a text before the spaces around it are removed. Longer texts are refused
    /// before any work on them.
    static let maxTypedBytes = 1024

    public let kind: Kind
    /// What is compared: Unicode NFKC, case folded, no space around it. External ids are taken as
    /// they are.
    public let normal: String

    /// - Throws: ``LoginNameError`` when it is empty, too long, holds control characters or spaces,
    ///   or is no e-mail address.
    public init(_ text: String, kind: Kind) throws(LoginNameError) {
        guard text.utf8.count <= Self.maxTypedBytes, text.isStreamSafe else { throw .tooLong(kind) }
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else { throw .empty(kind) }
        guard trimmed.utf8.count <= Self.maxBytes else { throw .tooLong(kind) }
        let normal = kind == .externalID ? trimmed : Self.folded(trimmed)
        // In the compared form, too: compatibility mapping makes spaces of some letters (U+FDFA).
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

    /// What an unlabelled identifier might be typed as, in one form for every kind. Two people must
    /// not share it across kinds, or one could answer for the other.
    public var identifier: String { kind == .externalID ? Self.folded(normal) : normal }

    /// Every name `text` might mean: what an unlabelled identifier is looked up as.
    ///
    /// - Returns: nothing for text that can be no name, such as text that is too long; such text is
    ///   not normalized.
    public static func candidates(_ text: String) -> [LoginName] {
        guard text.utf8.count <= maxTypedBytes, text.isStreamSafe else { return [] }
        // Also a full-width “＠”.
        let kinds: [Kind] =
            Self.folded(text).utf8.contains(At.byte)
            ? [.email, .externalID] : [.username, .externalID]
        return kinds.compactMap { try? LoginName(text, kind: $0) }
    }

    /// Composed again after folding, which takes some letters apart.
    private static func folded(_ text: String) -> String {
        text.precomposedStringWithCompatibilityMapping.lowercased()
            .precomposedStringWithCompatibilityMapping
    }

    /// Bytes, as a combining mark after “@” would make another `Character` of it.
    private enum At { static let byte = UInt8(ascii: "@"), dot = UInt8(ascii: ".") }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar.properties.isWhitespace
    }
}

/// A text is no name to log in with. Says why, and not the text.
public enum LoginNameError: Error, Sendable, Equatable, CustomStringConvertible {
    case empty(LoginName.Kind)
    case tooLong(LoginName.Kind)
    case character(LoginName.Kind)
    case notAnAddress

    public var description: String {
        switch self {
        case .empty(let kind): "\(kind.rawValue) is empty"
        case .tooLong(let kind): "\(kind.rawValue) has more than 254 bytes"
        case .character(.username): "username may hold no spaces, no control characters and no “@”"
        case .character(let kind): "\(kind.rawValue) may hold no spaces and no control characters"
        case .notAnAddress: "email is not an address like name@example.org"
        }
    }
}
