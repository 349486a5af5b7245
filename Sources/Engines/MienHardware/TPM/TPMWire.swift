/// Writes values in the TPM's format: big-endian and contiguous.
struct TPMWire {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }
    mutating func put(_ numbers: UInt16...) {
        for number in numbers { put([UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]) }
    }
    mutating func put(long number: UInt32) {
        put(UInt16(number >> 16), UInt16(truncatingIfNeeded: number))
    }

    /// - Precondition: `more` has at most 65,535 bytes.
    mutating func put(sized more: [UInt8]) {
        put(UInt16(more.count))
        put(more)
    }
}

/// Reads values in the TPM's format. Never reads past the end: returns `nil` and consumes nothing.
struct TPMReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func take(_ count: Int) -> [UInt8]? {
        guard count <= bytes.count - offset else { return nil }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    mutating func short() -> UInt16? { take(2).map { UInt16($0[0]) << 8 | UInt16($0[1]) } }
    mutating func long() -> UInt32? { take(4).map { $0.reduce(0) { $0 << 8 | UInt32($1) } } }

    mutating func sized() -> [UInt8]? {
        let before = offset
        guard let count = short() else { return nil }
        guard let value = take(Int(count)) else {
            offset = before
            return nil
        }
        return value
    }
}
