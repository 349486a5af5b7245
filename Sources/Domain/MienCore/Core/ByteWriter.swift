/// Appends little-endian values to a byte array.
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    package mutating func put(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    package mutating func put(_ more: [UInt8]) { bytes.append(contentsOf: more) }

    package mutating func put(integer value: some FixedWidthInteger) {
        for shift in stride(from: 0, to: type(of: value).bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    package mutating func put(float value: Float) { put(integer: value.bitPattern) }

    package mutating func put(zeros count: Int) { put(repeatElement(0, count: count)) }

    /// Appends `text` padded with zeros to `size` bytes.
    /// - Precondition: `text` fits.
    package mutating func put(padded text: some Collection<UInt8>, to size: Int) {
        precondition(text.count <= size, "\(text.count) bytes do not fit into \(size)")
        put(text)
        put(zeros: size - text.count)
    }
}
