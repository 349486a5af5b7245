internal import MienAPI
internal import MienCore

/// Where a server is: `https://login.example.org`, `http://127.0.0.1:8080`,
/// `https://example.org/mien`.
struct ServerAddress: Sendable, Hashable {
    /// Without a slash at its end.
    let text: String

    /// - Parameter allowsPlainHTTP: `http` for other hosts than this machine: everything, passwords
    ///   included, then goes over the network for all to read.
    init(_ path: String, allowsPlainHTTP: Bool = false) throws(MienError) {
        func wrong(_ reason: String) -> MienError {
            MienError(.invalidInitializationOptions, "serverPath: \(reason)")
        }
        let text = path.hasSuffix("/") ? String(path.dropLast()) : path
        guard let end = text.firstRange(of: "://") else {
            throw wrong("an address such as https://login.example.org is expected")
        }
        let scheme = text[..<end.lowerBound].lowercased(), rest = text[end.upperBound...]
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
            !rest.contains(where: { "@?#\\\"<>".contains($0) })
        else {
            throw wrong(
                "it has a user, a query, a fragment or a character that addresses do not have")
        }
        let authority = rest.prefix { $0 != "/" }
        guard let host = Self.host(authority) else {
            throw wrong("a host, and a port if need be, is expected after \(scheme)://")
        }
        switch scheme {
        case "https": break
        case "http":
            guard allowsPlainHTTP || ["localhost", "127.0.0.1", "[::1]"].contains(host) else {
                throw wrong(
                    "http is for this machine only; use https, or allow plain HTTP explicitly")
            }
        default: throw wrong("https is expected, not \(scheme)")
        }
        self.text = "\(scheme)://\(rest)"
    }

    private static func host(_ authority: Substring) -> String? {
        var host = authority, port: Substring?
        if let bracket = authority.lastIndex(of: "]") {
            guard authority.first == "[" else { return nil }
            host = authority[...bracket]
            let rest = authority[authority.index(after: bracket)...]
            if !rest.isEmpty {
                guard rest.first == ":" else { return nil }
                port = rest.dropFirst()
            }
        } else if let colon = authority.firstIndex(of: ":") {
            (host, port) = (authority[..<colon], authority[authority.index(after: colon)...])
        }
        if let port, UInt16(port) == nil || !port.allSatisfy(\.isNumber) { return nil }
        return host.isEmpty ? nil : host.lowercased()
    }

    /// The address of a path below: segments are escaped, so that none can become two, or point
    /// upwards.
    ///
    /// - Throws: the server's `not_found` for a segment that nothing can be called.
    func url(_ segments: [String], query: [(String, String)] = []) throws(MienError) -> String {
        var text = text
        for segment in segments {
            guard !segment.isEmpty, segment != ".", segment != ".." else {
                throw MienError(.init(.notFound, "nothing is called “\(segment)”"))
            }
            text += "/" + PercentEncoding.encode(segment)
        }
        for (place, (name, value)) in query.enumerated() {
            text += "\(place == 0 ? "?" : "&")\(name)=\(PercentEncoding.encode(value))"
        }
        return text
    }
}
