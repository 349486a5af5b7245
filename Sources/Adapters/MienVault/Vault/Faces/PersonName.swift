internal import Foundation

/// The display name under which a face is enrolled. Spellings that differ only in case, or in how
/// Unicode composes a letter, name the same person.
///
/// - Form: 1…64 characters, at most 256 UTF-8 bytes, NFC, no leading or trailing space, no control,
///   line-breaking, or direction-changing characters (they could forge terminal output), and no
///   unassigned Unicode characters.
///
/// Names are personal data, so they print as `‹name›`. Use ``text`` to show the name.
public struct PersonName: Sendable {
    public static let lengthRange = 1...64, maximumBytes = 256

    public let text: String

    /// Trims and normalizes `text`.
    /// - Throws: ``PersonNameError`` if the result is not a valid name.
    public init(_ text: String) throws(PersonNameError) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
            .precomposedStringWithCanonicalMapping
        guard !text.isEmpty else { throw .empty }
        guard text.count <= Self.lengthRange.upperBound, text.utf8.count <= Self.maximumBytes else {
            throw .tooLong
        }
        guard !text.unicodeScalars.contains(where: Self.isForbidden) else {
            throw .forbiddenCharacter
        }
        self.text = text
    }

    /// A key that is equal for names that count as the same.
    ///
    /// Lower case comes first, for the capital ẞ, which has no other upper case.
    package var key: String {
        text.lowercased().uppercased().lowercased().precomposedStringWithCanonicalMapping
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        // Reject unassigned characters: a later Unicode version may compose them differently, and
        // the stored name would no longer be NFC.
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
        case .format: scalar.properties.isBidiControl
        default: false
        }
    }
}

extension PersonName: Hashable {
    public static func == (a: Self, b: Self) -> Bool { a.key == b.key }
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension PersonName: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹name›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The reason a name is invalid. Never contains the name.
public enum PersonNameError: String, Error, Sendable, CaseIterable {
    case empty = "name.empty"
    case tooLong = "name.too-long"
    case forbiddenCharacter = "name.forbidden-character"
}

extension PersonNameError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "\(rawValue): a name needs at least one character"
        case .tooLong: "\(rawValue): a name may have at most 64 characters and 256 bytes"
        case .forbiddenCharacter:
            "\(rawValue): a name may not contain control, line-breaking or direction-changing characters"
        }
    }
}
