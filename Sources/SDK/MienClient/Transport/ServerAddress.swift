internal import MienAPI
internal import MienCore

/// A server's address: `https://login.example.org`, `http://127.0.0.1:8080`,
/// `https://example.org/mien`.
struct ServerAddress: Sendable, Hashable {
    /// The address without a trailing slash.
    let text: String

    /// - Parameter allowsPlainHTTP: Allows `http` for hosts other than this machine. Everything,
    ///   including passwords, is then readable on the network.
    init(_ path: String, allowsPlainHTTP: Bool = false) throws(MienError) {
        func wrong(_ reason: String) -> MienError {
            MienError(.invalidInitializationOptions, "serverPath: \(reason)")
        }
        let text = path.hasSuffix("/") ? String(path.dropLast()) : path
        guard let end = text.firstRange(of: "://") else {
            throw wrong("Set an address such as https://login.example.org.")
        }
        let scheme = text[..<end.lowerBound].lowercased(), rest = text[end.upperBound...]
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
            !rest.contains(where: { "@?#\\\"<>".contains($0) })
        else {
            throw wrong(
                "Remove the user, query, fragment, or invalid character from the address.")
        }
        let authority = rest.prefix { $0 != "/" }
        guard let host = Self.host(authority) else {
            throw wrong("The address needs a host, and optionally a port, after \(scheme)://.")
        }
        switch scheme {
        case "https": break
        case "http":
            guard allowsPlainHTTP || ["localhost", "127.0.0.1", "[::1]"].contains(host) else {
                throw wrong(
                    "http is allowed only for this machine. Use https, or allow plain HTTP explicitly."
                )
            }
        default: throw wrong("Use https instead of \(scheme).")
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

    /// Returns the URL of a path below the address. Segments are escaped, so that none can become
    /// two or point upwards.
    ///
    /// - Throws: the server's `not_found` for a segment that cannot name anything.
    func url(_ segments: [String], query: [(String, String)] = []) throws(MienError) -> String {
        var text = text
        for segment in segments {
            guard !segment.isEmpty, segment != ".", segment != ".." else {
                throw MienError(.init(.notFound, "“\(segment)” does not name anything."))
            }
            text += "/" + PercentEncoding.encode(segment)
        }
        for (index, (name, value)) in query.enumerated() {
            text += "\(index == 0 ? "?" : "&")\(name)=\(PercentEncoding.encode(value))"
        }
        return text
    }
}
