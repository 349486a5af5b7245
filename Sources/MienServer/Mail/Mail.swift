internal import MienCore

/// One message in plain text.
struct Mail: Sendable {
    let to: Sensitive<String>
    let subject: String
    let body: Sensitive<String>

    /// RFC 5322. Lines end in CR LF; a header cannot break out of its line.
    func message(from sender: String, date: String, id: String) -> [UInt8] {
        func header(_ text: String) -> String {
            text.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 32 && $0.value != 127 }
                ? text : "=?utf-8?B?\(Base64URL.standard(Array(text.utf8.filter { $0 >= 32 })))?="
        }
        let recipient = to.use { header($0) }
        let text = body.use { $0 }.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n")
        return Array(
            """
            From: <\(header(sender))>\r
            To: <\(recipient)>\r
            Subject: \(header(subject))\r
            Date: \(date)\r
            Message-ID: <\(id)@mien>\r
            MIME-Version: 1.0\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Transfer-Encoding: 8bit\r
            Auto-Submitted: auto-generated\r
            \r
            \(text)\r

            """.utf8)
    }
}

/// An SMTP server that takes mail from us.
struct MailRelay: Sendable {
    enum Security: String, Sendable {
        case starttls, tls, none
    }

    let host: String
    let port: Int
    let security: Security
    let user: String?
    let password: Sensitive<String>
    let from: String
}

extension Base64URL {
    /// RFC 4648 §4: with `+`, `/` and padding.
    static func standard(_ bytes: [UInt8]) -> String {
        let text = encode(bytes).replacing("-", with: "+").replacing("_", with: "/")
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }
}
