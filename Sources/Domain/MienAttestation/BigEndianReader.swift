/// Takes big-endian values off the front of some bytes; `nil` when there are too few.
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

    /// Bytes after their count in 16 bits: `TPM2B_…`, and the length of a credential's id.
    mutating func counted() -> [UInt8]? { integer(UInt16.self).flatMap { take(Int($0)) } }
}
