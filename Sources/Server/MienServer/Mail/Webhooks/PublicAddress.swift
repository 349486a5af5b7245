internal import Foundation

/// Recognizes addresses on the public Internet: RFC 6890 and the registries based on it.
enum PublicAddress {
    /// Whether the address is a plain IP address outside this machine and outside private,
    /// link-local, shared, multicast, documentation, and reserved networks.
    static func contains(_ address: String) -> Bool {
        if address.contains(":") {
            var bytes = in6_addr()
            guard unsafe inet_pton(AF_INET6, address, &bytes) == 1 else { return false }
            return contains(v6: unsafe withUnsafeBytes(of: &bytes) { unsafe Array($0) })
        }
        let parts = address.split(separator: ".", omittingEmptySubsequences: false)
        let octets = parts.compactMap { UInt8($0) }
        return parts.count == 4 && octets.count == 4 && contains(v4: octets)
    }

    /// Allows only global unicast addresses, 2000::/3. This excludes mapped, translated,
    /// unique-local, and link-local ones.
    private static func contains(v6 octets: [UInt8]) -> Bool {
        guard octets[0] & 0xe0 == 0x20 else { return false }
        return switch (octets[0], octets[1]) {
        // 6to4: check the embedded IPv4 address, because packets go there.
        case (0x20, 0x02): contains(v4: Array(octets[2..<6]))
        // Exclude protocol assignments, including Teredo, and documentation.
        case (0x20, 0x01): octets[2] >= 2 && !(octets[2] == 0x0d && octets[3] == 0xb8)
        case (0x3f, 0xff): octets[2] & 0xf0 != 0
        default: true
        }
    }

    private static func contains(v4 octets: [UInt8]) -> Bool {
        switch (octets[0], octets[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127),
            (198, 18...19), (224..., _):
            false
        case (192, 0): octets[2] != 0 && octets[2] != 2
        case (192, 88): octets[2] != 99
        case (198, 51): octets[2] != 100
        case (203, 0): octets[2] != 113
        default: true
        }
    }
}
