internal import Foundation
internal import NIOSSL

/// A certificate chain and its key, read from files.
struct TLSFiles {
    let certificate: String
    let key: String

    /// - Throws: ``ServerStartError`` that names the file and what is wrong with it.
    func setup() throws -> TLSConfiguration {
        let chain = try read(certificate, "tls.certificate", "certificates in PEM form") {
            try NIOSSLCertificate.fromPEMBytes($0)
        }
        guard !chain.isEmpty else {
            throw ServerStartError(
                .tls, "tls.certificate: \(certificate) holds no certificates in PEM form")
        }
        let privateKey = try read(key, "tls.key", "private key in PEM form, without a passphrase") {
            try NIOSSLPrivateKey(bytes: $0, format: .pem)
        }
        var setup = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        setup.minimumTLSVersion = .tlsv12
        // TLS 1.2 with forward secrecy and authenticated encryption only (RFC 9325 §4.2); TLS 1.3
        // has nothing else.
        setup.cipherSuites = "ECDHE+AESGCM:ECDHE+CHACHA20"
        // Asked for now, not when the first client comes.
        do { _ = try NIOSSLContext(configuration: setup) } catch {
            throw ServerStartError(
                .tls,
                "tls.key: \(key) is not the key of the first certificate in \(certificate), or their kind cannot be used here"
            )
        }
        return setup
    }

    private func read<Output>(
        _ path: String, _ setting: String, _ what: String, _ parse: ([UInt8]) throws -> Output
    ) throws -> Output {
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: path)) } catch {
            throw ServerStartError(
                .tls, "\(setting): \(path) cannot be read; check the path and its permissions")
        }
        // What the parser says may quote the file.
        do { return try parse([UInt8](data)) } catch {
            throw ServerStartError(.tls, "\(setting): \(path) holds no \(what)")
        }
    }
}
