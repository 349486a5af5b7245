import Foundation

/// Reads any text as the address in a proxy's header, and as `WWW-Authenticate` fields.
///
/// Must hold: an address is one that the system's parser accepts, and is counted under the key of
/// its number, however it is written. Challenges have a scheme, and are the same when written and
/// read again.
func fuzzHeader(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    readAddress(text)
    let challenges = AuthenticationChallenge.parse(text)
    precondition(
        challenges.allSatisfy { challenge in
            !challenge.scheme.isEmpty
                && ([challenge.scheme] + challenge.parameters.keys).allSatisfy {
                    $0 == $0.lowercased() && $0.utf8.allSatisfy { (0x21...0x7e).contains($0) }
                }
        })
    let field = challenges.map(written).joined(separator: ", ")
    guard field.utf8.count <= 8192 else { return }
    precondition(AuthenticationChallenge.parse(field) == challenges, "written and read again")
}

private func written(_ challenge: AuthenticationChallenge) -> String {
    let parameters = challenge.parameters.map { name, value in
        // Bytes, because a character may join a quote with what precedes it.
        let escaped = value.utf8.flatMap { byte -> [UInt8] in
            byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\"") ? [0x5c, byte] : [byte]
        }
        return "\(name)=\"\(String(decoding: escaped, as: UTF8.self))\""
    }
    return challenge.scheme + " " + parameters.joined(separator: ", ")
}

private func readAddress(_ text: String) {
    let address = ClientAddress(text), forwarded = ClientAddress(forwarded: text)
    if let address {
        precondition(forwarded == address, "a plain address is read otherwise")
        let withPort = text.contains(":") ? "[\(text)]:443" : "\(text):443"
        precondition(ClientAddress(forwarded: withPort) == address, "the port is read otherwise")
    }
    if let bytes = number(text, AF_INET, 4) {
        // An IPv4 address has one spelling.
        let plain = bytes.map(String.init).joined(separator: ".")
        precondition(address?.text == plain && address?.key == plain)
    } else if let bytes = number(text, AF_INET6, 16) {
        let groups = stride(from: 0, to: 16, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        let full = groups.map { String($0, radix: 16) }.joined(separator: ":")
        guard let address else { preconditionFailure("an IPv6 address is refused") }
        precondition(address.key == ClientAddress(full)?.key, "counted under two keys")
    } else {
        precondition(address == nil, "text that is not an address is accepted")
    }
}

/// Reads an address with the system's parser. Text with a NUL is not an address.
private func number(_ text: String, _ family: Int32, _ count: Int) -> [UInt8]? {
    guard !text.utf8.contains(0) else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    return inet_pton(family, text, &bytes) == 1 ? bytes : nil
}
