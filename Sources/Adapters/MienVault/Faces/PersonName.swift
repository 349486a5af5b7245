internal import Foundation

/// The display name a face is enrolled under. Two spellings that differ only in case, or in how
/// Unicode composes a letter, name the same person.
///
/// - Form: 1…64 characters, at most 256 UTF-8 bytes, NFC, no space at either end, no control,
///   line-breaking or direction-changing characters (they could forge a terminal's output), none
///   that Unicode has not assigned.
///
/// Personal data: it prints as `‹name›`. Whoever must show it says ``text``.
public struct PersonName: Sendable {
    public static let lengthRange = 1...64, maximumBytes = 256

    public let text: String

    /// Trims and normalises `text`.
    /// - Throws: ``PersonNameError`` when what is left is no name.
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

    /// Equal for names that count as the same.
    var key: String { text.uppercased().lowercased().precomposedStringWithCanonicalMapping }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        // Unassigned: a later Unicode may compose it differently, and the stored name would no
        // longer be NFC.
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

/// Why a text is no name. Never holds the text.
public enum PersonNameError: String, Error, Sendable, CaseIterable {
    case empty = "name.empty"
    case tooLong = "name.too-long"
    case forbiddenCharacter = "name.forbidden-character"
}

extension PersonNameError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "\(rawValue): a name has at least one character"
        case .tooLong: "\(rawValue): a name has at most 64 characters and 256 bytes"
        case .forbiddenCharacter:
            "\(rawValue): a name has no control, line-breaking or direction-changing characters"
        }
    }
}
