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
    /// The compared form, without surrounding spaces.
    ///
    /// - User names: Unicode NFKC, case-folded, without invisible characters.
    /// - Addresses: the same before “@”, but only in lower case, because `ß` and `ss` are different
    ///   mailboxes; after it, the domain as A-labels.
    /// - External identifiers are not normalized.
    public let normal: String

    /// - Throws: ``LoginNameError`` if the text is empty, too long, contains control characters,
    ///   spaces, or characters that change the direction of text, mixes letters that look alike, or
    ///   is not an email address.
    public init(_ text: String, kind: Kind) throws(LoginNameError) {
        guard text.utf8.count <= Self.maxTypedBytes, text.isStreamSafe else { throw .tooLong(kind) }
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else { throw .empty(kind) }
        guard trimmed.utf8.count <= Self.maxBytes else { throw .tooLong(kind) }
        let normal =
            switch kind {
            case .externalID: trimmed
            case .username: trimmed.foldedName
            case .email: Self.address(trimmed)
            }
        // Also checks the compared form: compatibility mapping turns some letters into spaces
        // (U+FDFA).
        guard
            !(trimmed.unicodeScalars + normal.unicodeScalars).contains(where: \.isForbiddenInNames)
        else { throw .character(kind) }
        guard !normal.isEmpty else { throw .empty(kind) }
        if kind == .email {
            // Mail is sent to the address as it was typed.
            guard !trimmed.hasInvisible else { throw .character(kind) }
            let parts = normal.utf8.split(separator: At.byte, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, parts[0].count <= 64,
                parts[1].contains(At.dot), parts[1].first != At.dot, parts[1].last != At.dot
            else { throw .notAnAddress }
        }
        if kind == .username {
            guard !normal.utf8.contains(At.byte) else { throw .character(kind) }
            guard !LookalikeScript.areMixed(in: normal) else { throw .mixedScripts }
        }
        (self.kind, self.normal) = (kind, normal)
    }

    /// The form in which an unlabeled identifier might be typed, the same for every kind. Two
    /// people must not share it across kinds, or one could sign in as the other.
    public var identifier: String {
        guard kind == .externalID else { return normal }
        return (try? LoginName(normal.withoutInvisible, kind: .email))?.normal ?? normal.foldedName
    }

    /// Returns every name that `text` might mean, to look up an unlabeled identifier. Ignores
    /// characters that nobody sees, which come along when a name is copied.
    ///
    /// - Returns: an empty array for text that cannot be a name, such as text that is too long;
    ///   such text is not normalized.
    public static func candidates(_ text: String) -> [LoginName] {
        guard text.utf8.count <= maxTypedBytes, text.isStreamSafe else { return [] }
        let visible = text.withoutInvisible
        // Includes a full-width “＠”.
        let named: Kind = visible.foldedName.utf8.contains(At.byte) ? .email : .username
        return [try? LoginName(visible, kind: named), try? LoginName(text, kind: .externalID)]
            .compactMap(\.self)
    }

    /// The compared form of text that should be an address.
    private static func address(_ text: String) -> String {
        let composed = text.precomposedStringWithCompatibilityMapping
        guard let end = composed.utf8.lastIndex(of: At.byte) else { return composed.lowercased() }
        var local = String.UnicodeScalarView()
        for scalar in composed.unicodeScalars[..<end] {
            // A sigma is the same letter at the end of a word.
            local.append(
                contentsOf: scalar == "ς"
                    ? "σ".unicodeScalars
                    : scalar.properties.lowercaseMapping.unicodeScalars)
        }
        let domain = String(composed.unicodeScalars[composed.utf8.index(after: end)...])
        return String(local).precomposedStringWithCompatibilityMapping + "@"
            + EmailDomain.normal(domain)
    }

    /// Compared as bytes, because a combining mark after “@” would make it another `Character`.
    private enum At { static let byte = UInt8(ascii: "@"), dot = UInt8(ascii: ".") }
}

/// The reason a text is not a login name. Does not contain the text. The description continues the
/// name of the field, which callers put before it: “username must not contain spaces”.
public enum LoginNameError: Error, Sendable, Equatable, CustomStringConvertible {
    case empty(LoginName.Kind)
    case tooLong(LoginName.Kind)
    case character(LoginName.Kind)
    case notAnAddress
    case mixedScripts

    public var description: String {
        switch self {
        case .empty: "is empty"
        case .tooLong: "has more than 254 bytes"
        case .character(.username):
            "must not contain spaces, control characters, characters that change the direction of text, or “@”"
        case .character(.email):
            "must not contain spaces, control characters, or invisible characters"
        case .character(.externalID):
            "must not contain spaces, control characters, or characters that change the direction of text"
        case .mixedScripts:
            "must not mix Latin, Greek, and Cyrillic letters, because some of them look alike"
        case .notAnAddress: "must be an address like name@example.org"
        }
    }
}
