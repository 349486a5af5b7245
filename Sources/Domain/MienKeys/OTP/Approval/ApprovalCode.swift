internal import MienCore

/// A code that links a device to a transaction that waits for approval: 50 random bits, written
/// `7K3QF-2M9XA`. Its owner reads it on one device and types it on the other.
public struct ApprovalCode: Sendable, Hashable {
    /// The maximum length of typed text in UTF-8 bytes: the written form, with room for spaces.
    public static let maxTypedBytes = 32

    private static let length = 10

    /// Ten characters of ``TypedText``; what is hashed to store or find the request.
    public let characters: [UInt8]

    public init(using generator: inout some RandomNumberGenerator) {
        characters = TypedText.random(Self.length, using: &generator)
    }

    /// - Returns: `nil` if the text is not a code.
    public init?(typed text: String) {
        guard text.utf8.count <= Self.maxTypedBytes,
            let characters = TypedText.characters(text, count: Self.length)
        else { return nil }
        self.characters = characters
    }

    /// The written form.
    public var text: String { TypedText.written(characters) }
}
