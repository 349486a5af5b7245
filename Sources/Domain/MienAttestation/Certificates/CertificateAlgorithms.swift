internal import SwiftASN1

/// The algorithms that a certificate names, read without interpreting its key. X509 reads no
/// certificate whose algorithms it does not know.
struct CertificateAlgorithms {
    /// The algorithm of the certificate's own key, and that of the signature on it.
    let key, signature: ASN1ObjectIdentifier

    /// P-256, P-384, and P-521 have the first one.
    private static let knownKeys: Set<ASN1ObjectIdentifier> = [
        [1, 2, 840, 10045, 2, 1], [1, 2, 840, 113549, 1, 1, 1], [1, 3, 101, 112],
    ]
    /// The branches of RSA's and ECDSA's signatures, and Ed25519.
    private static let knownSignatures: [[UInt]] = [
        [1, 2, 840, 113549, 1, 1], [1, 2, 840, 10045, 4], [1, 3, 101, 112],
    ]
    private static let names: [ASN1ObjectIdentifier: String] = [
        [2, 16, 840, 1, 101, 3, 4, 3, 17]: "ML-DSA-44",
        [2, 16, 840, 1, 101, 3, 4, 3, 18]: "ML-DSA-65",
        [2, 16, 840, 1, 101, 3, 4, 3, 19]: "ML-DSA-87",
    ]

    /// - Returns: `nil` unless the bytes have the outline of an X.509 certificate in DER.
    init?(der: [UInt8]) {
        guard let root = try? DER.parse(der), case .constructed(let parts) = root.content,
            let body = parts.first(where: { _ in true }),
            case .constructed(let fields) = body.content
        else { return nil }
        // After the serial number and, if present, the version: algorithm, issuer, validity,
        // subject, key.
        let inner = fields.filter { $0.identifier == .sequence }
        guard inner.count >= 5, let signature = Self.identifier(inner[0]),
            case .constructed(let information) = inner[4].content,
            let algorithm = information.first(where: { _ in true }),
            let key = Self.identifier(algorithm)
        else { return nil }
        (self.key, self.signature) = (key, signature)
    }

    /// Describes the algorithms that are not supported; `nil` if all are.
    var unsupported: String? {
        if !Self.knownKeys.contains(key) { return "its key is of \(Self.name(key))" }
        let isKnown = Self.knownSignatures.contains { branch in
            signature.oidComponents.starts(with: branch)
        }
        return isKnown ? nil : "its signature is of \(Self.name(signature))"
    }

    private static func name(_ identifier: ASN1ObjectIdentifier) -> String {
        names[identifier] ?? "the algorithm \(identifier)"
    }

    private static func identifier(_ algorithm: ASN1Node) -> ASN1ObjectIdentifier? {
        guard case .constructed(let parts) = algorithm.content,
            let first = parts.first(where: { _ in true })
        else { return nil }
        return try? ASN1ObjectIdentifier(derEncoded: first)
    }
}
