/// Reads CBOR strictly and within limits: every value has one spelling, and nothing is allocated on
/// the word of a length.
///
/// Indefinite lengths, numbers written longer than needed, text that is not UTF-8 and keys that
/// come twice are always errors.
public enum CBOR {
    public enum Form: Sendable, Hashable {
        /// Any value, keys of maps in any order.
        case general
        /// CTAP2's canonical form (CTAP 2.1 §8), which WebAuthn demands: keys in order; integers,
        /// bytes, texts, lists, maps, true, false and null only.
        case ctap2
    }

    public struct Limits: Sendable, Hashable {
        public let maxBytes: Int
        /// How deep lists, maps and tags may be nested.
        public let maxDepth: Int
        /// How many values in all, keys included.
        public let maxItems: Int

        public init(maxBytes: Int = 64 * 1024, maxDepth: Int = 8, maxItems: Int = 4096) {
            (self.maxBytes, self.maxDepth, self.maxItems) = (maxBytes, maxDepth, maxItems)
        }
    }

    /// The value that `bytes` are, from the first to the last.
    public static func read(_ bytes: [UInt8], form: Form, limits: Limits = Limits())
        throws(CBORError) -> CBORValue
    {
        let (value, end) = try readFirst(bytes, form: form, limits: limits)
        guard end == bytes.count else { throw CBORError(.trailing, at: end) }
        return value
    }

    /// The value that `bytes` begin with, and how many of them it takes.
    public static func readFirst(_ bytes: [UInt8], form: Form, limits: Limits = Limits())
        throws(CBORError) -> (value: CBORValue, bytes: Int)
    {
        guard bytes.count <= limits.maxBytes else { throw CBORError(.tooLong, at: limits.maxBytes) }
        var reader = CBORReader(bytes: bytes, form: form, limits: limits)
        let value = try reader.value(depth: 0)
        return (value, reader.place)
    }
}
