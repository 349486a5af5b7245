/// Platform configuration registers of the SHA-256 bank, 0…23. They record the firmware, the boot
/// loader, and the kernel that started.
public struct PCRSelection: Sendable, Hashable {
    public static let range = 0...23

    let bits: UInt32

    init(bits: UInt32) { self.bits = bits & 0xFF_FFFF }

    /// - Throws: ``TPMError`` `.badArgument` when the set is empty or a register is out of range.
    public init(_ registers: Set<Int>) throws(TPMError) {
        guard !registers.isEmpty, registers.allSatisfy(Self.range.contains) else {
            throw TPMError(
                .badArgument,
                "bind to 1 to 24 registers with numbers 0 to 23, not \(registers.sorted())"
            )
        }
        self.init(bits: registers.reduce(0) { $0 | 1 << UInt32($1) })
    }

    public var registers: Set<Int> { Set(Self.range.filter { bits & 1 << UInt32($0) != 0 }) }

    /// Register 0 is the lowest bit of the first byte.
    var mask: [UInt8] { [0, 8, 16].map { UInt8(truncatingIfNeeded: bits >> $0) } }
}
