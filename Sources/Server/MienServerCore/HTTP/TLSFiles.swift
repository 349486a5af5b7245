internal import Foundation
internal import NIOSSL

/// A certificate chain and its key, read from files.
package struct TLSFiles: Sendable {
    let certificate: String
    let key: String

    package init(certificate: String, key: String) {
        (self.certificate, self.key) = (certificate, key)
    }

    /// The content of the files.
    struct Served {
        let context: NIOSSLContext
        /// When the first certificate of the chain to expire does.
        let expiry: Date
    }

    /// - Throws: ``ServerStartError`` that names the file and its problem.
    func served() throws(ServerStartError) -> Served {
        let chain = try read(certificate, "tls.certificate", "certificates in PEM form") {
            try NIOSSLCertificate.fromPEMBytes($0)
        }
        guard !chain.isEmpty else {
            throw ServerStartError(
                .tls, "tls.certificate: \(certificate) contains no certificates in PEM form")
        }
        let privateKey = try read(key, "tls.key", "private key in PEM form, without a passphrase") {
            try NIOSSLPrivateKey(bytes: $0, format: .pem)
        }
        var setup = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        setup.minimumTLSVersion = .tlsv12
        // Allow only TLS 1.2 suites with forward secrecy and authenticated encryption (RFC 9325
        // §4.2). TLS 1.3 has no others.
        setup.cipherSuites = "ECDHE+AESGCM:ECDHE+CHACHA20"
        let expiry = Date(
            timeIntervalSince1970: TimeInterval(chain.map(\.notValidAfter).min() ?? 0))
        do {
            return Served(context: try NIOSSLContext(configuration: setup), expiry: expiry)
        } catch {
            throw ServerStartError(
                .tls,
                "tls.key: \(key) does not belong to the first certificate in \(certificate), or its type is not supported"
            )
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
