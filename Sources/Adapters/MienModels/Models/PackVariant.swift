/// Another form of a pack's networks. Templates of all forms can be compared with each other.
public enum PackVariant: String, Sendable, CaseIterable {
    /// Quantized to 8-bit integers: faster, and slightly different descriptors.
    case int8
}
