/// A strict CBOR parser with limits. Every value has one encoding, and no memory is allocated for
/// an unverified length.
///
/// Indefinite lengths, numbers with a longer encoding than needed, text that is not UTF-8, and
/// duplicate keys are always errors.
public enum CBOR {
    public enum Form: Sendable, Hashable {
        /// Any value; the keys of maps in any order.
        case general
        /// CTAP2's canonical form (CTAP 2.1 §8), which WebAuthn requires: keys in order; only
        /// integers, bytes, texts, arrays, maps, true, false, and null.
        case ctap2
    }

    public struct Limits: Sendable, Hashable {
        public let maxBytes: Int
        /// The maximum nesting depth of arrays, maps, and tags.
        public let maxDepth: Int
        /// The maximum number of values, including keys.
        public let maxItems: Int

        public init(maxBytes: Int = 64 * 1024, maxDepth: Int = 8, maxItems: Int = 4096) {
            (self.maxBytes, self.maxDepth, self.maxItems) = (maxBytes, maxDepth, maxItems)
        }
    }

    /// Parses all of `bytes` as one value.
    public static func read(_ bytes: [UInt8], form: Form, limits: Limits = Limits())
        throws(CBORError) -> CBORValue
    {
        let (value, end) = try readFirst(bytes, form: form, limits: limits)
        guard end == bytes.count else { throw CBORError(.trailing, at: end) }
        return value
    }

    /// Parses the value at the start of `bytes`, and returns its length.
    public static func readFirst(_ bytes: [UInt8], form: Form, limits: Limits = Limits())
        throws(CBORError) -> (value: CBORValue, bytes: Int)
    {
        guard bytes.count <= limits.maxBytes else { throw CBORError(.tooLong, at: limits.maxBytes) }
        var reader = CBORReader(bytes: bytes, form: form, limits: limits)
        let value = try reader.value(depth: 0)
        return (value, reader.offset)
    }
}
