public import MienCore

/// A single-use code that restores access to an account: 100 random bits as four groups of five
/// characters, `7K3QF-…`, as ``TypedText``.
public struct RecoveryCode: Sendable, Hashable {
    /// The number of codes in a set.
    public static let countInSet = 10
    /// The maximum length of typed text in UTF-8 bytes: the written form, with room for spaces.
    public static let maxTypedBytes = 64

    private static let length = 20

    /// 20 characters of ``TypedText``.
    private let characters: [UInt8]

    public static func random(using generator: inout some RandomNumberGenerator) -> Self {
        Self(characters: TypedText.random(length, using: &generator))
    }

    /// Parses text that somebody typed.
    ///
    /// - Returns: `nil` if the text is not a code. Texts longer than ``maxTypedBytes`` are refused
    ///   without being read.
    public init?(typed text: String) {
        guard text.utf8.count <= Self.maxTypedBytes,
            let characters = TypedText.characters(text, count: Self.length)
        else { return nil }
        self.characters = characters
    }

    private init(characters: [UInt8]) { self.characters = characters }

    /// The written form, shown once: `7K3QF-2M9XA-…`.
    public var text: Sensitive<String> { Sensitive(TypedText.written(characters)) }

    /// The bytes that are hashed to store or find the code.
    public var bytes: Sensitive<[UInt8]> { Sensitive(characters) }
}

/// Printing does not reveal the code.
extension RecoveryCode: CustomStringConvertible, CustomReflectable {
    public var description: String { "a recovery code" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
