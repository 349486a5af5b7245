/// Methods that read numbers and marks from untrusted bytes. Access beyond the end returns `nil` or
/// `false` and never traps.
extension Span where Element == UInt8 {
    func big16(at offset: Int) -> Int? {
        has(2, at: offset) ? Int(self[offset]) << 8 | Int(self[offset + 1]) : nil
    }

    func little16(at offset: Int) -> Int? {
        has(2, at: offset) ? Int(self[offset + 1]) << 8 | Int(self[offset]) : nil
    }

    func big32(at offset: Int) -> Int? {
        guard let high = big16(at: offset), let low = big16(at: offset + 2) else { return nil }
        return high << 16 | low
    }

    func little32(at offset: Int) -> Int? {
        guard let low = little16(at: offset), let high = little16(at: offset + 2) else {
            return nil
        }
        return high << 16 | low
    }

    func byte(at offset: Int) -> UInt8? { has(1, at: offset) ? self[offset] : nil }

    /// Whether `count` bytes lie at `offset`.
    func has(_ count: Int, at offset: Int) -> Bool {
        offset >= 0 && count >= 0 && offset <= self.count - count
    }

    func holds(_ mark: [UInt8], at offset: Int) -> Bool {
        guard has(mark.count, at: offset) else { return false }
        return mark.indices.allSatisfy { self[offset + $0] == mark[$0] }
    }

    func begins(with mark: [UInt8]) -> Bool { holds(mark, at: 0) }

    /// Whether the bytes are a proper prefix of `mark`.
    func isShortened(_ mark: [UInt8]) -> Bool {
        count < mark.count && indices.allSatisfy { self[$0] == mark[$0] }
    }

    /// Returns the bytes of `range` as text, with invalid UTF-8 replaced.
    func text(_ range: Range<Int>) -> String {
        var bytes: [UInt8] = []
        for i in range where i < count { bytes.append(self[i]) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
