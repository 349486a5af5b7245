internal import Foundation
package import NIOSSL

/// A certificate chain and its key, read from files.
package struct TLSFiles: Sendable {
    let certificate: String
    let key: String
    /// Those who may connect have certificates of these authorities; `nil` if anybody may.
    var authorities: String?
    /// The section of the settings that name the files.
    var section = "tls"

    /// The content of the files.
    struct Served {
        let context: NIOSSLContext
        /// When the first certificate of the chain to expire does.
        let expiry: Date
    }

    /// - Throws: ``ServerStartError`` that names the file and its problem.
    func served() throws(ServerStartError) -> Served {
        let chain = try certificates(in: certificate, "\(section).certificate"),
            privateKey = try readKey()
        var setup = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        setup.minimumTLSVersion = .tlsv12
        // Allow only TLS 1.2 suites with forward secrecy and authenticated encryption (RFC 9325
        // §4.2). TLS 1.3 has no others.
        setup.cipherSuites = "ECDHE+AESGCM:ECDHE+CHACHA20"
        if let authorities {
            setup.trustRoots = .certificates(try certificates(in: authorities, "\(section).ca"))
            // A client without a certificate of theirs is refused.
            setup.certificateVerification = .noHostnameVerification
        }
        let expiry = Date(
            timeIntervalSince1970: TimeInterval(chain.map(\.notValidAfter).min() ?? 0))
        do {
            return Served(context: try NIOSSLContext(configuration: setup), expiry: expiry)
        } catch {
            throw ServerStartError(
                .tls,
                "\(section).key: \(key) does not belong to the first certificate in \(certificate), or its type is not supported"
            )
        }
    }

    /// Returns what this server presents to others and requires of them: mutual TLS.
    ///
    /// - Throws: ``ServerStartError`` that names the file and its problem.
    package func clientConfiguration() throws(ServerStartError) -> TLSConfiguration {
        var setup = TLSConfiguration.makeClientConfiguration()
        setup.minimumTLSVersion = .tlsv12
        setup.certificateChain = try certificates(in: certificate, "\(section).certificate").map {
            .certificate($0)
        }
        setup.privateKey = .privateKey(try readKey())
        if let authorities {
            setup.trustRoots = .certificates(try certificates(in: authorities, "\(section).ca"))
        }
        return setup
    }

    private func certificates(in path: String, _ setting: String) throws(ServerStartError)
        -> [NIOSSLCertificate]
    {
        let what = "certificates in PEM form"
        let found = try read(path, setting, what) { try NIOSSLCertificate.fromPEMBytes($0) }
        guard !found.isEmpty else {
            throw ServerStartError(.tls, "\(setting): \(path) contains no \(what)")
        }
        return found
    }

    private func readKey() throws(ServerStartError) -> NIOSSLPrivateKey {
        try read(key, "\(section).key", "private key in PEM form, without a passphrase") {
            try NIOSSLPrivateKey(bytes: $0, format: .pem)
        }
    }

    private func read<Output>(
        _ path: String, _ setting: String, _ what: String, _ parse: ([UInt8]) throws -> Output
    ) throws(ServerStartError) -> Output {
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: path)) } catch {
            throw ServerStartError(
                .tls, "\(setting): \(path) cannot be read; check the path and its permissions")
        }
        // Omit the parser's message, because it may quote the file.
        do { return try parse([UInt8](data)) } catch {
            throw ServerStartError(.tls, "\(setting): \(path) contains no \(what)")
        }
    }
}
