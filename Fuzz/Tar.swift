import MienCore

/// Reads any bytes as a tar archive. Its files have harmless names and are within the limits.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    var rest = [UInt8](UnsafeBufferPointer(start: start, count: count))[...]
    let limit = 1 << 16
    var total = 0
    var reader = TarReader(limit: limit) { most in
        defer { rest = rest.dropFirst(most) }
        return Array(rest.prefix(most))
    }
    do {
        while let entry = try reader.next() {
            precondition(
                !entry.path.contains("..")
                    && !entry.path.contains { $0.contains("/") || !$0.isPrintable })
            try reader.contents { total += $0.count }
        }
    } catch {}
    precondition(total <= limit)
    return 0
}
