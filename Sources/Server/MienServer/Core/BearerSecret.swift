package import MienCore

/// A bearer secret: 256 random bits, prefixed by the ID of the record that it opens. Only its hash
/// is stored.
package struct BearerSecret: Sendable {
    /// `<id>.<43 characters>`
    package let text: Sensitive<String>
    package let secret: [UInt8]

    package init<Kind>(for id: Identifier<Kind>, using generator: inout some RandomNumberGenerator)
    {
        secret = generator.bytes(32)
        text = Sensitive("\(id.text).\(Base64URL.encode(secret))")
    }

    /// Parses the ID and the secret; returns `nil` for malformed text.
    package static func parse<Kind>(_ text: String, _: Kind.Type = Kind.self) -> (
        id: Identifier<Kind>, secret: [UInt8]
    )? {
        guard text.utf8.count <= 128, let dot = text.lastIndex(of: "."),
            let id = Identifier<Kind>(text[..<dot]),
            let secret = Base64URL.decode(text[text.index(after: dot)...]), secret.count == 32
        else { return nil }
        return (id, secret)
    }
}

/// Compares in constant time; only the lengths affect the duration.
package func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
