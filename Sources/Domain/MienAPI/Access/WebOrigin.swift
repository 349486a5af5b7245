/// The origin of a web page, as browsers send it in `Origin` (RFC 6454 §6.2).
public enum WebOrigin {
    static let maxBytes = 300

    /// Whether `text` is exactly what a browser sends: `https`, or `http` on this machine, then a
    /// host in lower case, and a port only if it is not the scheme's own. No path, no wildcard.
    public static func isValid(_ text: String) -> Bool {
        guard text.utf8.count <= maxBytes, let start = text.firstRange(of: "://")?.upperBound
        else { return false }
        let scheme = text[..<start], authority = text[start...]
        let host =
            authority.hasPrefix("[")
            ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        guard authority.hasPrefix(host), isHost(host) else { return false }
        let port = authority.dropFirst(host.count)
        guard port.isEmpty || isPort(port.dropFirst(), of: scheme) && port.first == ":" else {
            return false
        }
        return scheme == "https://"
            || scheme == "http://" && ["localhost", "127.0.0.1", "[::1]"].contains(host)
    }

    private static func isHost(_ host: Substring) -> Bool {
        let isAddress = host.hasPrefix("[")
        return !host.isEmpty
            && host.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                case UInt8(ascii: "."), UInt8(ascii: "-"): !isAddress
                case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":"): isAddress
                default: false
                }
            }
    }

    private static func isPort(_ digits: Substring, of scheme: Substring) -> Bool {
        guard let port = UInt16(digits), String(port) == digits else { return false }
        return port != (scheme == "https://" ? 443 : 80) && port != 0
    }
}
