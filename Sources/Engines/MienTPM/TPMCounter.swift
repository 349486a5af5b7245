/// A counter in the TPM's own memory.
public struct TPMCounter: Sendable, Hashable {
    /// Where it is, in the range that TCG's registry gives to a machine's owner.
    public let index: UInt32
    public let value: UInt64

    /// Where counters can be.
    public static let indices: ClosedRange<UInt32> = 0x0180_0000...0x01BF_FFFF
}
