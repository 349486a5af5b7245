/// Reads big-endian values from the front of a byte sequence. Returns `nil` if there are too few
/// bytes.
struct BigEndianReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var remaining: [UInt8] { Array(rest) }
    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ count: Int) -> [UInt8]? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func integer<T: FixedWidthInteger & UnsignedInteger>(_: T.Type) -> T? {
        take(T.bitWidth / 8)?.reduce(T.zero) { $0 << 8 | T($1) }
    }

    /// Reads bytes preceded by their count in 16 bits: `TPM2B_…`, and the length of a credential's
    /// ID.
    mutating func counted() -> [UInt8]? { integer(UInt16.self).flatMap { take(Int($0)) } }
}
