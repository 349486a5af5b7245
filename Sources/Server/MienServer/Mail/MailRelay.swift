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

extension TLSConfiguration {
    /// Requires TLS 1.2 or later, and verifies certificates and host names.
    ///
    /// - Parameter authorities: The path of a PEM file; `nil` for the system's authorities.
    /// - Throws: ``ConfigurationError`` that names `setting`.
    static func client(trusting authorities: String?, setting: String) throws -> TLSConfiguration {
        var configuration = makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        guard let authorities else { return configuration }
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(authorities),
            !certificates.isEmpty
        else {
            throw ConfigurationError([
                "\(setting): \(authorities) is not a readable PEM file with certificates"
            ])
        }
        configuration.trustRoots = .certificates(certificates)
        return configuration
    }
}
