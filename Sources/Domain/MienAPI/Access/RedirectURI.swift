/// How the address to which a browser returns is compared with those that an app registered.
public enum RedirectURI {
    /// Whether `address` is `registered`, byte by byte, except for the port of a loopback address.
    ///
    /// Apps on a computer listen on a port that the system picks, so a server must allow any port
    /// there (RFC 8252 §7.3; for `localhost`, RFC 9700 §2.1). Such an address cannot lead to another
    /// machine. Path and query have to be the registered ones.
    public static func matches(_ address: String, registered: String) -> Bool {
        if address.utf8.elementsEqual(registered.utf8) { return true }
        guard let asked = Loopback(address), let known = Loopback(registered) else { return false }
        return asked == known
    }

    /// A loopback address without its port.
    private struct Loopback: Equatable {
        let origin: String
        /// Path and query, as bytes.
        let rest: [UInt8]

        init?(_ uri: String) {
            let origins = ["http://127.0.0.1", "http://[::1]", "http://localhost"]
            guard let origin = origins.first(where: { uri.utf8.starts(with: $0.utf8) }) else {
                return nil
            }
            var rest = uri.utf8.dropFirst(origin.utf8.count)
            if rest.first == UInt8(ascii: ":") {
                let digits = rest.dropFirst().prefix {
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                }
                guard let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0 else {
                    return nil
                }
                rest = rest.dropFirst(1 + digits.count)
            }
            // Anything else would be part of another host, such as 127.0.0.1.example.org.
            guard rest.isEmpty || rest.first == UInt8(ascii: "/") || rest.first == UInt8(ascii: "?")
            else { return nil }
            // Nothing that browsers read differently, such as a line break or a fragment.
            guard rest.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
                return nil
            }
            (self.origin, self.rest) = (origin, Array(rest))
        }
    }
}
