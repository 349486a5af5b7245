/// Reads bytes front to back. Nothing is read past the end, and no size is trusted before its bytes
/// are present.
package struct ByteCursor {
    private let bytes: [UInt8]
    /// The position of the next byte to read.
    package private(set) var offset = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The number of bytes left.
    package var left: Int { bytes.count - offset }

    package mutating func byte() throws(TorchFileError) -> UInt8 {
        let position = offset
        return try take(1)[position]
    }

    /// Reads an unsigned integer of `width` bytes, 1...4, least significant byte first.
    package mutating func integer(_ width: Int) throws(TorchFileError) -> Int {
        try take(width).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads a signed integer of eight bytes, least significant byte first.
    package mutating func long() throws(TorchFileError) -> Int64 {
        Int64(bitPattern: try take(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    package mutating func take(_ count: Int) throws(TorchFileError) -> ArraySlice<UInt8> {
        guard count <= left else {
            throw TorchFileError(.truncated(bytesMissing: count - left), at: offset)
        }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }
}
