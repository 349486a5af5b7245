/// A counter in the TPM's own memory.
public struct TPMCounter: Sendable, Hashable {
    /// Its index, in the range that the TCG's registry assigns to a computer's owner.
    public let index: UInt32
    public let value: UInt64

    /// The valid indices of counters.
    public static let indices: ClosedRange<UInt32> = 0x0180_0000...0x01BF_FFFF
}
