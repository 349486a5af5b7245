/// The position of an error in CBOR. Reveals nothing of the content.
public struct CBORError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Stable codes: logged, counted, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        case tooLong = "cbor.too-long"
        case truncated = "cbor.truncated"
        /// Unexpected data after the value.
        case trailing = "cbor.trailing"
        case depth = "cbor.depth"
        case items = "cbor.items"
        /// A reserved or two-byte form that RFC 8949 forbids.
        case malformed = "cbor.malformed"
        /// A length or number has a longer encoding than needed.
        case notShortest = "cbor.not-shortest"
        case indefinite = "cbor.indefinite"
        case notUTF8 = "cbor.not-utf8"
        case duplicateKey = "cbor.duplicate-key"
        /// The keys of a map are not in CTAP2's order.
        case keyOrder = "cbor.key-order"
        /// A tag, float, or simple value that CTAP2 does not allow.
        case unexpected = "cbor.unexpected"
    }

    public let code: Code
    /// The index of the byte where it was found, from 0.
    public let offset: Int

    public init(_ code: Code, at offset: Int) { (self.code, self.offset) = (code, offset) }

    public var description: String { "\(code.rawValue) at byte \(offset)" }
}
