/// Translates a registry's file into UTF-8, in pieces of any size: UTF-16 of either byte order, as
/// Excel and PowerShell write it, is recognized by its byte-order mark. All marks are dropped.
struct RegistryEncoding: Sendable {
    private enum Kind { case unknown, utf8, utf16(isBigEndian: Bool) }

    private var kind = Kind.unknown
    /// Bytes that are not yet translated: a part of a mark or of a character.
    private var rest: [UInt8] = []

    /// - Returns: The bytes that are complete. A malformed character of UTF-16 becomes a byte that
    ///   UTF-8 does not have, so that the reader rejects its field.
    mutating func decode(_ bytes: [UInt8]) -> [UInt8] {
        if case .utf8 = kind { return bytes }
        rest += bytes
        if case .unknown = kind {
            let marks: [([UInt8], Kind)] = [
                ([0xEF, 0xBB, 0xBF], .utf8), ([0xFF, 0xFE], .utf16(isBigEndian: false)),
                ([0xFE, 0xFF], .utf16(isBigEndian: true)),
            ]
            if let (mark, found) = marks.first(where: { rest.starts(with: $0.0) }) {
                kind = found
                rest.removeFirst(mark.count)
            } else if marks.contains(where: { $0.0.starts(with: rest) }) {
                return []
            } else {
                kind = .utf8
            }
        }
        guard case .utf16(let isBigEndian) = kind else { return finish() }
        var units: [UInt16] = []
        units.reserveCapacity(rest.count / 2)
        for place in stride(from: 0, to: rest.count - 1, by: 2) {
            let (a, b) = (UInt16(rest[place]), UInt16(rest[place + 1]))
            units.append(isBigEndian ? a << 8 | b : b << 8 | a)
        }
        if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
        rest.removeFirst(units.count * 2)
        var decoded: [UInt8] = []
        decoded.reserveCapacity(units.count + 16)
        let isMalformed = transcode(
            units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true
        ) { decoded.append($0) }
        if isMalformed { decoded.append(0xFF) }
        return decoded
    }

    /// Ends the file.
    ///
    /// - Returns: The bytes that are left.
    mutating func finish() -> [UInt8] {
        defer { rest = [] }
        return rest
    }
}
