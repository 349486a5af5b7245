internal import MienCore
internal import NIOCore
internal import NIOSSL

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
    let from: MailAddress
    /// PEM file with the authorities to trust instead of the system's; `nil` for the system's.
    let authorities: String?
    /// For one mail, from connecting to the last reply.
    var patience = TimeAmount.seconds(30)

    /// - Returns: `nil` for a relay that is spoken to in the clear.
    /// - Throws: ``ConfigurationError`` when the authorities cannot be read.
    func tls() throws -> NIOSSLContext? {
        security == .none
            ? nil
            : try NIOSSLContext(configuration: .client(trusting: authorities, setting: "mail.ca"))
    }
}

extension TLSConfiguration {
    /// TLS 1.2 and later, certificates and names checked.
    ///
    /// - Parameter authorities: path of a PEM file; `nil` for the system's.
    /// - Throws: ``ConfigurationError`` that names `setting`.
    static func client(trusting authorities: String?, setting: String) throws -> TLSConfiguration {
        var configuration = makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        guard let authorities else { return configuration }
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(authorities),
            !certificates.isEmpty
        else {
            throw ConfigurationError([
                "\(setting): \(authorities) is no PEM file with certificates that can be read"
            ])
        }
        configuration.trustRoots = .certificates(certificates)
        return configuration
    }
}
