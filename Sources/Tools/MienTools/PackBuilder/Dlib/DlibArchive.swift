/// A reader of dlib's serialization format: one value after another, front to back.
///
/// - An integer is a length byte (count of bytes in the low four bits, sign in bit 7, bits 4...6
///   zero), then its magnitude, least significant byte first, in as few bytes as possible. dlib
///   also reads longer forms but never writes them; this reader refuses them.
/// - A text is its byte count as an integer, then its bytes. A flag is the character `0` or `1`.
/// - A real number is mantissa and binary exponent, two integers: mantissa × 2^exponent.
///
/// Nothing is read past the end, and no size is trusted before its bytes are present. Source: dlib
/// 19.24, `dlib/serialize.h` and `dlib/float_details.h`.
package struct DlibArchive {
    private let bytes: [UInt8]
    /// The position of the next byte to read.
    package private(set) var offset = 0

    /// The longest text in the format is a layer's name, and the longest of those has 30
    /// characters.
    private static let longestText = 64

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package mutating func integer() throws(DlibArchiveError) -> Int {
        let start = offset, header = try take(1)[start]
        let width = Int(header & 0x0F), isNegative = header & 0x80 != 0
        guard header & 0x70 == 0, (1...8).contains(width) else {
            throw DlibArchiveError(.integerHeader(header), at: start)
        }
        let magnitude = try take(width).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let isShortest =
            width == 1 ? magnitude != 0 || !isNegative : magnitude >> (8 * (width - 1)) != 0
        guard isShortest else { throw DlibArchiveError(.integerHeader(header), at: start) }
        guard let value = Int(exactly: magnitude) else {
            throw DlibArchiveError(.integerRange, at: start)
        }
        return isNegative ? -value : value
    }

    /// Reads an integer that is a count and therefore never negative.
    package mutating func count() throws(DlibArchiveError) -> Int {
        let start = offset, value = try integer()
        guard value >= 0 else { throw DlibArchiveError(.integerRange, at: start) }
        return value
    }

    package mutating func text() throws(DlibArchiveError) -> String {
        let start = offset, length = try count()
        guard length <= Self.longestText else { throw DlibArchiveError(.text, at: start) }
        guard let text = String(validating: try take(length), as: UTF8.self) else {
            throw DlibArchiveError(.text, at: start)
        }
        return text
    }

    package mutating func flag() throws(DlibArchiveError) -> Bool {
        let start = offset, byte = try take(1)[start]
        guard byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") else {
            throw DlibArchiveError(.flag(byte), at: start)
        }
        return byte == UInt8(ascii: "1")
    }

    package mutating func real() throws(DlibArchiveError) -> Double {
        let start = offset, mantissa = try integer(), exponent = try integer()
        guard (-2000...2000).contains(exponent) else {
            throw DlibArchiveError(.notFinite, at: start)
        }
        let value = Double(sign: .plus, exponent: exponent, significand: Double(mantissa))
        guard value.isFinite else { throw DlibArchiveError(.notFinite, at: start) }
        return value
    }

    /// Reads `count` 32-bit floating-point numbers, four bytes each, least significant byte first,
    /// without a header.
    ///
    /// Copies them unchanged, because every supported machine stores floats this way.
    package mutating func rawFloats(_ count: Int) throws(DlibArchiveError) -> [Float] {
        let start = offset
        let (byteCount, overflow) = count.multipliedReportingOverflow(by: 4)
        guard !overflow else { throw DlibArchiveError(.integerRange, at: start) }
        let raw = try take(byteCount)
        let floats = unsafe [Float](unsafeUninitializedCapacity: count) { floats, initialized in
            unsafe raw.withUnsafeBytes {
                unsafe UnsafeMutableRawBufferPointer(floats).copyMemory(from: $0)
            }
            initialized = count
        }
        if let i = floats.firstIndex(where: { !$0.isFinite }) {
            throw DlibArchiveError(.notFinite, at: start + 4 * i)
        }
        return floats
    }

    /// - Throws: ``DlibArchiveError`` when bytes are left.
    package func finish() throws(DlibArchiveError) {
        guard offset == bytes.count else {
            throw DlibArchiveError(.trailing(bytes: bytes.count - offset), at: offset)
        }
    }

    private mutating func take(_ count: Int) throws(DlibArchiveError) -> ArraySlice<UInt8> {
        let left = bytes.count - offset
        guard count <= left else {
            throw DlibArchiveError(.truncated(bytesMissing: count - left), at: offset)
        }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }
}
