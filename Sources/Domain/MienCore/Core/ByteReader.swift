/// Reads little-endian values from the front of a byte sequence.
///
/// A read past the end returns `nil`, consumes nothing, and allocates nothing.
package struct ByteReader {
    private let bytes: ArraySlice<UInt8>

    /// The number of bytes read so far.
    package private(set) var offset = 0

    package init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }
    package init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    package var remaining: Int { bytes.count - offset }

    /// - Precondition: `count` is not negative.
    package mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        precondition(count >= 0, "count must not be negative")
        guard count <= remaining else { return nil }
        let start = bytes.startIndex + offset
        offset += count
        return bytes[start..<start + count]
    }

    package mutating func integer<T: FixedWidthInteger & UnsignedInteger>(_: T.Type) -> T? {
        take(T.bitWidth / 8)?.reversed().reduce(T.zero) { ($0 << 8) | T($1) }
    }

    package mutating func int64() -> Int64? { integer(UInt64.self).map(Int64.init(bitPattern:)) }

    package mutating func float() -> Float? { integer(UInt32.self).map(Float.init(bitPattern:)) }
}
