package import MienCore
package import NIOCore
package import NIOSSL

/// An SMTP server that relays our mail.
package struct MailRelay: Sendable {
    package enum Security: String, Sendable {
        case starttls, tls, none
    }

    package let host: String
    package let port: Int
    package let security: Security
    package let user: String?
    package let password: Sensitive<String>
    package let from: MailAddress
    /// The path of a PEM file with the certificate authorities to trust; `nil` to trust the
    /// system's.
    let authorities: String?
    /// The time limit for one email, from connecting to the last reply.
    package var patience = TimeAmount.seconds(30)

    /// - Returns: `nil` if the connection to the relay is not encrypted.
    /// - Throws: ``ConfigurationError`` if the authorities cannot be read.
    package func tls() throws -> NIOSSLContext? {
        security == .none
            ? nil
            : try NIOSSLContext(configuration: .client(trusting: authorities, setting: "mail.ca"))
    }
}
