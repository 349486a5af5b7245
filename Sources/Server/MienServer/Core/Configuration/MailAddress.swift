internal import Foundation

/// An address that can be used unquoted in an SMTP command and in a header: RFC 5321 §4.1.2 without
/// quoted local parts and address literals, RFC 6531 for non-ASCII characters.
package struct MailAddress: Sendable, Equatable {
    package let text: String
    package var domain: Substring { text[text.index(after: text.lastIndex(of: "@")!)...] }
    package var isASCII: Bool { text.utf8.allSatisfy { $0 < 0x80 } }

    /// The address with its domain as A-labels, such as `ada@xn--bcher-kva.example`, which every relay
    /// accepts: RFC 5891 §4.4. Unchanged if the domain has no such form.
    package var withASCIIDomain: MailAddress {
        var parts = URLComponents()
        parts.host = String(domain)
        guard let host = parts.encodedHost, host.utf8.allSatisfy({ $0 < 0x80 }),
            let address = MailAddress("\(text.prefix { $0 != "@" })@\(host)")
        else { return self }
        return address
    }

    package init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard text.utf8.count <= 254, parts.count == 2, parts[0].utf8.count <= 64,
            Self.isDotted(parts[0], also: "!#$%&'*+-/=?^_`{|}~"),
            Self.isDotted(parts[1], also: "-")
        else { return nil }
        self.text = text
    }

    /// Whether the text consists of words of letters, digits, and `others`, joined by single dots.
    private static func isDotted(_ text: Substring, also others: String) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { word in
            !word.isEmpty
                && word.unicodeScalars.allSatisfy { scalar in
                    if scalar.isASCII {
                        return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                            || others.unicodeScalars.contains(scalar)
                    }
                    return !scalar.properties.isWhitespace
                        && scalar.properties.generalCategory != .control
                        && scalar.properties.generalCategory != .format
                }
        }
    }
}
