package import NIOSSL

extension TLSConfiguration {
    /// Requires TLS 1.2 or later, and verifies certificates and host names.
    ///
    /// - Parameter authorities: The path of a PEM file; `nil` for the system's authorities.
    /// - Throws: ``ConfigurationError`` that names `setting`.
    package static func client(trusting authorities: String?, setting: String) throws
        -> TLSConfiguration
    {
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
