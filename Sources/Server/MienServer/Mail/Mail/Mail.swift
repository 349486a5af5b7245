package import MienCore

/// A plain-text email.
package struct Mail: Sendable {
    let to: Sensitive<String>
    let subject: String
    let body: Sensitive<String>

    /// When it was composed: the same at each delivery.
    let date: MailDate

    package init(to: Sensitive<String>, subject: String, body: Sensitive<String>) {
        self.init(to: to, subject: subject, body: body, date: .now())
    }

    private init(
        to: Sensitive<String>, subject: String, body: Sensitive<String>, date: MailDate
    ) {
        (self.to, self.subject, self.body, self.date) = (to, subject, body, date)
    }

    /// The form in which the outbox holds the email, before it is sealed.
    var content: Sensitive<[UInt8]> {
        let json: JSONValue = .object([
            "to": .string(to.use { $0 }), "subject": .string(subject),
            "body": .string(body.use { $0 }), "date": .number(Double(date.milliseconds)),
        ])
        return Sensitive(Array(JSONText.write(json).utf8))
    }

    /// Reads an email from the outbox.
    ///
    /// - Returns: `nil` if the content is not an email.
    init?(content: Sensitive<[UInt8]>) {
        let limits = JSONText.Limits(maxBytes: Self.maxContentBytes)
        let read = content.use { try? JSONText.parse($0, limits: limits) }
        guard let read, let to = read["to"]?.stringValue,
            let subject = read["subject"]?.stringValue, let body = read["body"]?.stringValue,
            let date = read["date"]?.numberValue
        else { return nil }
        self.init(
            to: Sensitive(to), subject: subject, body: Sensitive(body),
            date: MailDate(milliseconds: Int64(date)))
    }

    private static let maxContentBytes = 1 << 20

    /// Encodes the message per RFC 5322 and 2045: lines of at most 76 characters that end in CR LF,
    /// in ASCII except for internationalized addresses. A value cannot break out of its header
    /// line.
    ///
    /// - Parameters:
    ///   - name: What mail programs show beside the sender's address; empty for none.
    ///   - id: The same at each delivery, so that a mailbox can recognize a repeated one.
    func message(
        from sender: MailAddress, named name: String, to recipient: MailAddress, id: String
    ) -> [UInt8] {
        let subject = MailHeader.unstructured(subject, after: "Subject: ")
        let from = name.isEmpty ? "" : MailHeader.phrase(name, after: "From: ") + " "
        return Array(
            """
            From: \(from)<\(sender.text)>\r
            To: <\(recipient.text)>\r
            Subject: \(subject)\r
            Date: \(date.header)\r
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
