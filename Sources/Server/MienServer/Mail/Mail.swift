internal import MienCore

/// One message in plain text.
struct Mail: Sendable {
    let to: Sensitive<String>
    let subject: String
    let body: Sensitive<String>

    /// RFC 5322 and 2045: lines of at most 76 characters that end in CR LF, ASCII but for an
    /// address that is not. A header cannot break out of its line.
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

/// A mail cannot be written at all; trying again does not help.
enum MailError: Error, Equatable, CustomStringConvertible {
    case address

    var description: String { "an address that mail cannot be sent to" }
}

/// An address that can stand in an SMTP command and in a header as it is: RFC 5321 §4.1.2 without
/// quoted names and address literals, RFC 6531 for others than ASCII.
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

    /// Words of letters, digits and `others`, joined by single dots.
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
