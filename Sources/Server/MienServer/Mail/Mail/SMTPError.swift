/// The relay did not accept an email. Its reply text may repeat an address and is left out.
struct SMTPError: Error, Equatable, CustomStringConvertible {
    enum Cause: Equatable {
        /// The relay replied with this code.
        case refused(Int)
        /// The relay did not reply in time, or closed the connection.
        case silent
        case notUnderstood
        /// Bytes arrived between STARTTLS and the handshake.
        case spokeTooSoon
        /// The relay offers only these ways to log in.
        case noLogin(offered: [String], usesToken: Bool)
        /// The file with the access token cannot be read, or has none.
        case noToken
        /// The address needs SMTPUTF8, which the relay does not support.
        case asciiOnly
    }

    enum Stage: String {
        case greeting, hello = "EHLO", encryption = "STARTTLS", login = "AUTH", sender =
            "MAIL FROM", recipient = "RCPT TO", message = "DATA", end =
            "QUIT"
    }

    let cause: Cause
    let stage: Stage

    init(_ cause: Cause, at stage: Stage) { (self.cause, self.stage) = (cause, stage) }

    /// Whether retrying would get the same reply: RFC 5321 §4.2.1.
    ///
    /// Only a reply to the recipient or the message is a verdict on this email. A refused greeting,
    /// EHLO, login, or sender concerns the relay and this server: the operator can repair it, and
    /// the owner of an account then still learns of a change.
    var isPermanent: Bool {
        switch cause {
        case .refused(let code):
            [.recipient, .message].contains(stage) && code >= 500
                && !Self.aboutSession.contains(code)
        case .asciiOnly: stage == .recipient
        case .silent, .notUnderstood, .spokeTooSoon, .noLogin, .noToken: false
        }
    }

    /// Replies that ask for a login or for encryption, or complain about the order of commands, at
    /// whichever stage: RFC 4954 §6, RFC 7504.
    private static let aboutSession: Set<Int> = [503, 521, 523, 530, 534, 535, 538]

    var description: String {
        switch cause {
        case .refused(let code): "the relay replied to \(stage.rawValue) with \(code)"
        case .silent: "the relay did not reply to \(stage.rawValue)"
        case .notUnderstood: "the relay's answer to \(stage.rawValue) is not valid SMTP"
        case .spokeTooSoon:
            "unencrypted bytes arrived after STARTTLS; the connection may be under attack"
        case .noLogin(let offered, let usesToken):
            "the relay offers only the logins \(offered.joined(separator: ", ").prefix(200)); this server uses \(usesToken ? "XOAUTH2 or OAUTHBEARER with mail.token_file" : "PLAIN or LOGIN with mail.password, and XOAUTH2 or OAUTHBEARER with mail.token_file")"
        case .noToken: "mail.token_file cannot be read, or contains no access token"
        case .asciiOnly:
            "\(stage == .sender ? "mail.from" : "the address") is not ASCII, and the relay does not support SMTPUTF8"
        }
    }
}
