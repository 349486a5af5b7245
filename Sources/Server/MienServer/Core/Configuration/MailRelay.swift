internal import Foundation
package import MienCore
package import NIOCore
package import NIOSSL

/// An SMTP server that relays our mail.
package struct MailRelay: Sendable {
    package enum Security: String, Sendable {
        case starttls, tls, none
    }

    /// The name that logs in, and its secret.
    package struct Login: Sendable {
        package enum Secret: Sendable {
            case password(Sensitive<String>)
            /// The path of a file with an OAuth access token.
            case tokenFile(String)
        }

        package let user: String
        package let secret: Secret
        /// A password that is set beside a file with a token, which the login then uses. The relay may
        /// know it all the same.
        package var unusedPassword: Sensitive<String>?
    }

    package let host: String
    package let port: Int
    package let security: Security
    /// `nil` for a relay that needs no login.
    package let login: Login?
    package let from: MailAddress
    /// The name that mail programs show beside the sender's address; empty for none.
    package var fromName = ""
    /// The name of this server in EHLO; `nil` for its address.
    package var ownName: String?
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

extension MailRelay.Login.Secret {
    var isToken: Bool { if case .tokenFile = self { true } else { false } }

    /// Returns the password, or the access token. Reads the token again for each login, because
    /// tokens are valid for about an hour and another program renews them.
    func text() throws -> Sensitive<String> {
        switch self {
        case .password(let password): return password
        case .tokenFile(let path):
            let bytes = try Data(contentsOf: URL(filePath: path))
            guard bytes.count <= 16 * 1024,
                let text = String(bytes: bytes, encoding: .utf8)?.trimmingCharacters(
                    in: .whitespacesAndNewlines),
                !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else { throw CocoaError(.fileReadCorruptFile) }
            return Sensitive(text)
        }
    }
}
