internal import MienCore

/// An http or https address in the form that all its spellings have in common: RFC 3986 §6.2.2 and
/// §6.2.3. RFC 9449 §4.3 asks for it before `htu` is compared.
struct NormalizedAddress: Hashable {
    let text: String

    /// - Returns: `nil` unless the text is an http or https address of ASCII without a user name.
    init?(_ text: String) {
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let mark = text.firstRange(of: "://")
        else { return nil }
        let scheme = text[..<mark.lowerBound].lowercased()
        guard let port = ["http": "80", "https": "443"][scheme] else { return nil }
        let rest = text[mark.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !authority.isEmpty, !authority.contains("@"),
            let host = Self.host(authority.lowercased(), without: port)
        else { return nil }
        let path = rest.dropFirst(authority.count).prefix { !"?#".contains($0) }
        self.text = "\(scheme)://\(host)\(Self.withoutDots(Self.decoded(path)))"
    }

    /// Removes an empty port and the scheme's own.
    private static func host(_ authority: String, without standard: String) -> String? {
        let end =
            authority.hasPrefix("[")
            ? authority.firstIndex(of: "]").map { authority.index(after: $0) }
            : authority.firstIndex(of: ":") ?? authority.endIndex
        guard let end else { return nil }
        let port = authority[end...].dropFirst()
        guard authority[end...].isEmpty || authority[end] == ":" else { return nil }
        return String(port.isEmpty || port == standard ? authority[..<end] : authority[...])
    }

    /// Decodes what need not be encoded, and writes the other encoded bytes in upper case.
    private static func decoded(_ path: Substring) -> String {
        let bytes = Array(path.utf8)
        var text = "", index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = Character(UnicodeScalar(bytes[index + 1])).hexDigitValue,
                let low = Character(UnicodeScalar(bytes[index + 2])).hexDigitValue
            {
                let byte = UInt8(high << 4 | low)
                let scalar = Character(UnicodeScalar(byte))
                if byte < 0x80, scalar.isLetter || scalar.isNumber || "-._~".contains(scalar) {
                    text.append(scalar)
                } else {
                    text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
                }
                index += 3
            } else {
                text.append(Character(UnicodeScalar(bytes[index])))
                index += 1
            }
        }
        return text
    }

    /// Removes the segments `.` and `..` (§5.2.4). An empty path is `/`.
    private static func withoutDots(_ path: String) -> String {
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        var kept: [Substring] = []
        for (number, segment) in segments.enumerated() {
            let isLast = number == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                if !kept.isEmpty { kept.removeLast() }
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/")
    }
}
