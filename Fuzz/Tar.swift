import MienCore

/// Reads any bytes as a tar archive, and as one compressed with gzip. Its files have harmless names
/// and are within the limits.
func fuzzTar(_ bytes: [UInt8]) {
    read(parts(of: bytes))
    let plain = GzipStream(source: parts(of: bytes))
    read { try plain.take($0) }
}

/// Returns a function that returns the next bytes, at most as many as requested.
private func parts(of bytes: [UInt8]) -> (Int) -> [UInt8] {
    var rest = bytes[...]
    return { most in
        defer { rest = rest.dropFirst(most) }
        return Array(rest.prefix(most))
    }
}

private func read(_ take: @escaping (Int) throws -> [UInt8]) {
    let limit = 1 << 16
    var total = 0
    var reader = TarReader(limit: limit, take: take)
    do {
        while let entry = try reader.next() {
            precondition(
                !entry.path.contains("..")
                    && !entry.path.contains { $0.contains("/") || !$0.isPrintable })
            try reader.contents { total += $0.count }
        }
    } catch {}
    precondition(total <= limit)
}
