/// Where bytes stop being the CBOR that was asked for. Says nothing of what they hold.
public struct CBORError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Stable words: logged, counted, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        case tooLong = "cbor.too-long"
        case truncated = "cbor.truncated"
        /// Something follows the value.
        case trailing = "cbor.trailing"
        case depth = "cbor.depth"
        case items = "cbor.items"
        /// A reserved or two-byte form that RFC 8949 forbids.
        case malformed = "cbor.malformed"
        /// A length or number written longer than needed.
        case notShortest = "cbor.not-shortest"
        case indefinite = "cbor.indefinite"
        case notUTF8 = "cbor.not-utf8"
        case duplicateKey = "cbor.duplicate-key"
        /// Keys of a map out of CTAP2's order.
        case keyOrder = "cbor.key-order"
        /// A tag, float or simple value that CTAP2 has no use for.
        case unexpected = "cbor.unexpected"
    }

    public let code: Code
    /// The byte it was found at, from 0.
    public let offset: Int

    public init(_ code: Code, at offset: Int) { (self.code, self.offset) = (code, offset) }

    public var description: String { "\(code.rawValue) at byte \(offset)" }
}
