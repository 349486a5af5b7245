internal import Crypto
internal import SwiftASN1
internal import X509

/// A certificate that the operator chose to trust. Neither its own signature nor its validity
/// period is checked: an anchor is a name and a key, and a path begins below it (RFC 5280 §6.1).
public struct TrustAnchor: Sendable, Hashable {
    let certificate: Certificate
    /// SHA-256 of the DER.
    public let fingerprint: [UInt8]

    public init(der: [UInt8]) throws(AttestationError) {
        certificate = try CertificateChain.certificate(der, name: "anchor")
        fingerprint = Array(SHA256.hash(data: der))
    }

    /// Reads all certificates of a PEM text.
    public static func read(pem: String) throws(AttestationError) -> [TrustAnchor] {
        guard let documents = try? PEMDocument.parseMultiple(pemString: pem), !documents.isEmpty
        else {
            throw AttestationError(
                .certificate, "the anchors must be one or more certificates in PEM")
        }
        var anchors: [TrustAnchor] = []
        for document in documents {
            guard document.discriminator == "CERTIFICATE" else {
                throw AttestationError(
                    .certificate, "the anchors contain something other than a certificate")
            }
            anchors.append(try TrustAnchor(der: document.derBytes))
        }
        return anchors
    }
}
