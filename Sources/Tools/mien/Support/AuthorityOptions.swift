import ArgumentParser
import AsyncHTTPClient
import Foundation
import MienClient
import MienTools
import NIOSSL
import Synchronization

/// The certificate authorities that servers are verified with.
struct AuthorityOptions: ParsableArguments {
    static let variable = "SSL_CERT_FILE"
    private static let clients = Mutex<[HTTPClient]>([])

    @Option(
        help: ArgumentHelp(
            "A PEM file with the certificate authorities to trust instead of the system's (default: $\(variable)).",
            valueName: "file"))
    var ca: String?

    /// The file to use, or `nil` for the system's authorities.
    private var file: (path: String, source: String)? {
        if let ca { return (ca, "--ca") }
        let path = ProcessInfo.processInfo.environment[Self.variable] ?? ""
        return path.isEmpty ? nil : (path, Self.variable)
    }

    /// Returns the path of the file, or `nil` for the system's authorities.
    ///
    /// - Throws: ``Failure`` if it contains no certificates.
    func path() throws -> String? { try certificates()?.path }

    /// Returns a transport that accepts only servers with a certificate of these authorities.
    ///
    /// - Throws: ``Failure`` if the file contains no certificates.
    func transport() throws -> any HTTPTransport {
        guard let found = try certificates() else { return AsyncHTTPTransport() }
        var configuration = AsyncHTTPTransport.configuration
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.trustRoots = .certificates(found.certificates)
        configuration.tlsConfiguration = tls
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        // A client must be shut down before it is released; this one lives as long as the process.
        Self.clients.withLock { $0.append(client) }
        return AsyncHTTPTransport(client: client)
    }

    private func certificates() throws -> (path: String, certificates: [NIOSSLCertificate])? {
        guard let (path, source) = file else { return nil }
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty
        else {
            throw Failure(
                .badInput, "ca.unreadable",
                "\(source): \(path) is not a readable PEM file with certificates")
        }
        return (path, certificates)
    }
}
