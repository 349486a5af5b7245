internal import MienCore
internal import NIOCore
internal import NIOSSL

/// An SMTP server that relays our mail.
struct MailRelay: Sendable {
    enum Security: String, Sendable {
        case starttls, tls, none
    }

    let host: String
    let port: Int
    let security: Security
    let user: String?
    let password: Sensitive<String>
    let from: MailAddress
    /// The path of a PEM file with the certificate authorities to trust; `nil` to trust the
    /// system's.
    let authorities: String?
    /// The time limit for one email, from connecting to the last reply.
    var patience = TimeAmount.seconds(30)

    /// - Returns: `nil` if the connection to the relay is not encrypted.
    /// - Throws: ``ConfigurationError`` if the authorities cannot be read.
    func tls() throws -> NIOSSLContext? {
        security == .none
            ? nil
            : try NIOSSLContext(configuration: .client(trusting: authorities, setting: "mail.ca"))
    }
}
