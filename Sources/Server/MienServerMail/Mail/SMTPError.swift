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
    var isPermanent: Bool {
        switch cause {
        case .refused(let code): code >= 500
        case .asciiOnly: true
        case .silent, .notUnderstood, .spokeTooSoon: false
        }
    }

    var description: String {
        switch cause {
        case .refused(let code): "the relay replied to \(stage.rawValue) with \(code)"
        case .silent: "the relay did not reply to \(stage.rawValue)"
        case .notUnderstood: "the relay's answer to \(stage.rawValue) is not valid SMTP"
        case .spokeTooSoon:
            "unencrypted bytes arrived after STARTTLS; the connection may be under attack"
        case .asciiOnly: "the address is not ASCII, and the relay does not support SMTPUTF8"
        }
    }
}
