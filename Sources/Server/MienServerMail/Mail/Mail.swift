package import MienCore
internal import MienServerCore

/// A plain-text email.
package struct Mail: Sendable {
    let to: Sensitive<String>
    let subject: String
    let body: Sensitive<String>

    package init(to: Sensitive<String>, subject: String, body: Sensitive<String>) {
        (self.to, self.subject, self.body) = (to, subject, body)
    }

    /// Encodes the message per RFC 5322 and 2045: lines of at most 76 characters that end in CR LF,
    /// in ASCII except for internationalized addresses. A value cannot break out of its header
    /// line.
    ///
    /// - Throws: ``MailError`` `.address`.
    func message(from sender: MailAddress, date: String, id: String) throws(MailError)
        -> [UInt8]
    {
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
package enum MailError: Error, Equatable, CustomStringConvertible {
    case address

    package var description: String { "the address is not valid for email" }
}
