internal import MienCore

/// A plain-text email.
struct Mail: Sendable {
    let to: Sensitive<String>
    let subject: String
    let body: Sensitive<String>

    /// Encodes the message per RFC 5322 and 2045: lines of at most 76 characters that end in CR LF,
    /// in ASCII except for internationalized addresses. A value cannot break out of its header
    /// line.
    ///
    /// - Throws: ``MailError`` `.address`.
    func message(from sender: MailAddress, date: String, id: String) throws(MailError) -> [UInt8] {
        let recipient = try recipient(),
            subject = MailHeader.unstructured(subject, after: "Subject: ")
        return Array(
            """
            From: <\(sender.text)>\r
            To: <\(recipient.text)>\r
            Subject: \(subject)\r
            Date: \(date)\r
            Message-ID: <\(id)@\(sender.domain)>\r
            MIME-Version: 1.0\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Transfer-Encoding: quoted-printable\r
            Auto-Submitted: auto-generated\r
            \r
            \(body.use(QuotedPrintable.encode))\r

            """.utf8)
    }

    func recipient() throws(MailError) -> MailAddress {
        guard let address = to.use({ MailAddress($0) }) else { throw .address }
        return address
    }
}

/// A permanent failure to compose an email; retrying does not help.
enum MailError: Error, Equatable, CustomStringConvertible {
    case address

    var description: String { "the address is not valid for email" }
}

/// An address that can be used unquoted in an SMTP command and in a header: RFC 5321 §4.1.2 without
/// quoted local parts and address literals, RFC 6531 for non-ASCII characters.
struct MailAddress: Sendable, Equatable {
    let text: String
    var domain: Substring { text[text.index(after: text.lastIndex(of: "@")!)...] }
    var isASCII: Bool { text.utf8.allSatisfy { $0 < 0x80 } }

    init?(_ text: String) {
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
