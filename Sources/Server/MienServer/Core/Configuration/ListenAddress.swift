/// A host and a port to listen on, written as `127.0.0.1:8081`, `[::1]:8081`, or
/// `admin.example.org:8081`.
public struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// Without brackets.
    public let host: String
    /// 0 picks a free port.
    public let port: Int

    public init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// - Returns: `nil` if the text is not a host and a port separated by a colon.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        var host = text[..<colon]
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits)
        else { return nil }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
            !host.contains(where: { "[]/@".contains($0) })
        else { return nil }
        self.init(host: String(host), port: Int(port))
    }

    /// Whether only this machine can connect: `localhost`, `127.0.0.0/8`, or `::1`.
    public var isLoopback: Bool {
        if ["localhost", "::1"].contains(host.lowercased()) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The host as written in a URL, with brackets around an IPv6 address.
    var hostInURL: String { host.contains(":") ? "[\(host)]" : host }

    public var description: String { "\(hostInURL):\(port)" }
}
