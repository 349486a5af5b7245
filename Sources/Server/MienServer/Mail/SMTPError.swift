/// The relay did not take a mail. Its words may repeat an address and are left out.
struct SMTPError: Error, Equatable, CustomStringConvertible {
    enum Cause: Equatable {
        /// With this code.
        case refused(Int)
        /// It said nothing in time, or hung up.
        case silent
        case notUnderstood
        /// Something came between STARTTLS and the handshake.
        case spokeTooSoon
        /// The address needs SMTPUTF8, which it does not speak.
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

    /// Trying again gets the same answer: RFC 5321 §4.2.1.
    var isPermanent: Bool {
        switch cause {
        case .refused(let code): code >= 500
        case .asciiOnly: true
        case .silent, .notUnderstood, .spokeTooSoon: false
        }
    }

    var description: String {
        switch cause {
        case .refused(let code): "the relay answered \(stage.rawValue) with \(code)"
        case .silent: "the relay said nothing to \(stage.rawValue)"
        case .notUnderstood: "the relay's answer to \(stage.rawValue) is no SMTP"
        case .spokeTooSoon:
            "something was said in the clear after STARTTLS: somebody may be on the line"
        case .asciiOnly: "the address is not ASCII, and the relay does not speak SMTPUTF8"
        }
    }
}
