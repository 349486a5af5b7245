internal import SystemZlib

/// Decompresses gzip (RFC 1952), also if several members follow each other. Bytes after the last
/// member are ignored, as gzip does.
///
/// Decompresses only as much as is taken, so an archive that expands without end costs no more than
/// its reader's own limit.
@safe final class GzipStream {
    /// The bytes are not gzip data, or are damaged.
    struct Malformed: Error {}

    private static let partBytes = 1 << 18
    /// Both bytes with which a member begins.
    static let magic: [UInt8] = [0x1F, 0x8B]

    /// zlib refers to the stream by its address.
    private let stream: UnsafeMutablePointer<z_stream>
    private let source: (_ atMost: Int) throws -> [UInt8]
    private var input: [UInt8] = []
    /// How many bytes of the input have been decompressed.
    private var used = 0
    private var isEnded = false

    /// - Parameter source: Returns the next compressed bytes; none at the end.
    init(source: @escaping (_ atMost: Int) throws -> [UInt8]) {
        self.source = source
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let windowBits = 15, gzipOnly = 16
        // Fails only without memory for its 7 KB.
        let status = unsafe inflateInit2_(
            stream, Int32(windowBits + gzipOnly), ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "zlib: status \(status)")
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// - Returns: Up to `count` bytes; none at the end, also if the data ends too early.
    /// - Throws: ``Malformed``, and the errors of the source.
    func take(_ count: Int) throws -> [UInt8] {
        var output = [UInt8](repeating: 0, count: min(count, Self.partBytes))
        while !isEnded, !output.isEmpty {
            try refill()
            let (status, produced) = inflate(into: &output)
            switch status {
            case Z_OK, Z_BUF_ERROR:
                // Nothing more to read, and nothing more came out.
                if used == input.count, produced == 0 {
                    try refill()
                    isEnded = input.isEmpty
                }
            case Z_STREAM_END:
                try refill()
                isEnded = used == input.count || input[used] != Self.magic[0]
                if !isEnded { unsafe inflateReset(stream) }
            default: throw Malformed()
            }
            if produced > 0 { return Array(output[..<produced]) }
        }
        return []
    }

    private func refill() throws {
        guard used == input.count else { return }
        (input, used) = (try source(Self.partBytes), 0)
    }

    private func inflate(into output: inout [UInt8]) -> (status: Int32, produced: Int) {
        var produced = 0, status = Z_OK
        let given = input.count - used
        unsafe input.withUnsafeMutableBufferPointer { from in
            unsafe output.withUnsafeMutableBufferPointer { to in
                unsafe stream.pointee.next_in = from.baseAddress.map { unsafe $0 + used }
                unsafe stream.pointee.avail_in = UInt32(given)
                unsafe stream.pointee.next_out = to.baseAddress
                unsafe stream.pointee.avail_out = UInt32(to.count)
                status = unsafe SystemZlib.inflate(stream, Z_NO_FLUSH)
                produced = unsafe to.count - Int(stream.pointee.avail_out)
            }
        }
        used += unsafe given - Int(stream.pointee.avail_in)
        return (status, produced)
    }
}
