/// The binary form, specified in `docs/spec/cohort.md`.
extension Cohort {
    static let magic = Array("MIENCHRT".utf8)
    static let version = 1
    static let headerCount = 28

    public var bytes: [UInt8] {
        var out = Self.magic
        out.reserveCapacity(Self.headerCount + elements.count)
        out.append(littleEndian: UInt32(Self.version))
        out.append(littleEndian: UInt32(dimension))
        out.append(littleEndian: UInt32(count))
        out.append(littleEndian: UInt32(nearestCount))
        out.append(littleEndian: scale.bitPattern)
        out += elements.map { UInt8(bitPattern: $0) }
        return out
    }

    /// - Throws: ``CohortError`` unless the bytes are exactly one valid cohort.
    public init(bytes: [UInt8]) throws(CohortError) {
        guard bytes.count >= Self.headerCount, bytes.starts(with: Self.magic) else {
            throw .notACohort
        }
        func field(_ i: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(bytes[8 + 4 * i + $1]) << (8 * $1) }
        }
        guard field(0) == Self.version else { throw .version(Int(field(0))) }
        let dimension = Int(field(1)), count = Int(field(2)), scale = Float(bitPattern: field(4))
        guard Self.dimensionRange.contains(dimension) else { throw .dimension(dimension) }
        guard Self.countRange.contains(count) else { throw .count(count) }
        guard bytes.count == Self.headerCount + dimension * count else {
            throw .length(expected: Self.headerCount + dimension * count, got: bytes.count)
        }
        guard scale.isFinite, scale > 0 else { throw .scale }
        let elements = bytes[Self.headerCount...].map { Int8(bitPattern: $0) }
        try self.init(
            dimension: dimension, nearestCount: Int(field(3)), scale: scale, elements: elements)
    }
}

extension [UInt8] {
    fileprivate mutating func append(littleEndian value: UInt32) {
        for shift in stride(from: 0, to: 32, by: 8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
