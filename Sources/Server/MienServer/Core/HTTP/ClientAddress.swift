/// The origin of a request: an IP address, and the key under which its requests are counted.
package struct ClientAddress: Sendable, Equatable {
    /// The address as it was written, or the IPv4 address of an IPv4-mapped IPv6 address (RFC 4291
    /// §2.5.5.2). Empty if unknown.
    package let text: String
    /// An IPv4 address, or the first half of an IPv6 address, because a client that has one usually
    /// has all 2⁶⁴ addresses with the same first half.
    package let key: String
    /// An IPv4 address, or the /48 of an IPv6 address: the largest network that a customer usually
    /// gets (RFC 6177), with 65,536 keys. For limits of what is held, not of how often.
    package let network: String

    static let unknown = ClientAddress(text: "", key: "", network: "")

    private init(text: String, key: String, network: String) {
        (self.text, self.key, self.network) = (text, key, network)
    }

    /// - Returns: `nil` if the text is not an IP address.
    init?(_ text: String) {
        guard text.utf8.count <= 45 else { return nil }
        if Self.isIPv4(text) {
            self.init(text: text, key: text, network: text)
            return
        }
        guard let groups = Self.groups(text) else { return nil }
        if groups.prefix(5).allSatisfy({ $0 == 0 }), groups[5] == 0xffff {
            let inner = [groups[6] >> 8, groups[6] & 255, groups[7] >> 8, groups[7] & 255].map(
                String.init
            ).joined(separator: ".")
            self.init(text: inner, key: inner, network: inner)
        } else {
            let hex = groups.map { String($0, radix: 16) }
            self.init(
                text: text, key: hex.prefix(4).joined(separator: ":") + "::/64",
                network: hex.prefix(3).joined(separator: ":") + "::/48")
        }
    }

    /// Reads an address as proxies write it: with or without a port, and an IPv6 address with or
    /// without brackets, quotes (RFC 7239 §6), or a zone (RFC 4007 §11).
    ///
    /// - Returns: `nil` if the text is anything else.
    init?(forwarded text: String) {
        var text = Substring(text)
        if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") {
            text = text.dropFirst().dropLast()
        }
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]"), Self.isPort(text[text.index(after: end)...])
            else { return nil }
            text = text[text.index(after: text.startIndex)..<end]
            guard text.contains(":") else { return nil }
        } else if let colon = text.firstIndex(of: ":"), Self.isIPv4(text[..<colon]) {
            guard Self.isPort(text[colon...]) else { return nil }
            text = text[..<colon]
        }
        if let percent = text.firstIndex(of: "%"), text[..<percent].contains(":") {
            let zone = text[text.index(after: percent)...]
            guard !zone.isEmpty, zone.utf8.allSatisfy(Self.isOfZone) else { return nil }
            text = text[..<percent]
        }
        self.init(String(text))
    }

    /// Whether the text is empty or a colon and a port.
    private static func isPort(_ text: Substring) -> Bool {
        guard !text.isEmpty else { return true }
        let digits = text.dropFirst()
        return text.hasPrefix(":") && (1...5).contains(digits.utf8.count)
            && digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            && UInt16(digits) != nil
    }

    private static func isOfZone(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "-"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func isIPv4(_ text: some StringProtocol) -> Bool { bytes(text) != nil }

    /// Reads an IPv4 address. Leading zeros are refused: some programs read such numbers as octal,
    /// and one address would have several keys.
    private static func bytes(_ text: some StringProtocol) -> [UInt16]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let bytes = parts.compactMap { part -> UInt16? in
            guard let byte = UInt8(part), part == String(byte) else { return nil }
            return UInt16(byte)
        }
        return bytes.count == 4 ? bytes : nil
    }

    /// Returns the eight groups of an IPv6 address: RFC 4291 §2.2.
    private static func groups(_ text: String) -> [UInt16]? {
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard (1...2).contains(halves.count) else { return nil }
        let parsed = halves.enumerated().map {
            half($0.element, mayEndInIPv4: $0.offset == halves.count - 1)
        }
        guard let first = parsed[0], let last = parsed[parsed.count - 1] else { return nil }
        if halves.count == 1 { return first.count == 8 ? first : nil }
        guard first.count + last.count <= 7 else { return nil }
        return first + [UInt16](repeating: 0, count: 8 - first.count - last.count) + last
    }

    private static func half(_ text: Substring, mayEndInIPv4: Bool) -> [UInt16]? {
        if text.isEmpty { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (i, part) in parts.enumerated() {
            if mayEndInIPv4, i == parts.count - 1, let four = bytes(part) {
                groups += [four[0] << 8 | four[1], four[2] << 8 | four[3]]
            } else {
                guard (1...4).contains(part.count), part.allSatisfy(\.isHexDigit),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        return groups
    }
}
