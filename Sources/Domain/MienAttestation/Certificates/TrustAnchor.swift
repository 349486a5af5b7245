internal import Crypto
internal import SwiftASN1
internal import X509

/// A certificate that is believed because somebody chose to. Its own signature is not looked at;
/// its time is.
public struct TrustAnchor: Sendable, Hashable {
    let certificate: Certificate
    /// SHA-256 of its DER.
    public let fingerprint: [UInt8]

    public init(der: [UInt8]) throws(AttestationError) {
        certificate = try CertificateChain.certificate(der, name: "anchor")
        fingerprint = Array(SHA256.hash(data: der))
    }

    /// All certificates of a PEM text.
    public static func read(pem: String) throws(AttestationError) -> [TrustAnchor] {
        guard let documents = try? PEMDocument.parseMultiple(pemString: pem), !documents.isEmpty
        else {
            throw AttestationError(.certificate, "the anchors are not PEM, or none")
        }
        var anchors: [TrustAnchor] = []
        for document in documents {
            guard document.discriminator == "CERTIFICATE" else {
                throw AttestationError(.certificate, "among the anchors is something else")
            }
            anchors.append(try TrustAnchor(der: document.derBytes))
        }
        return anchors
    }
}
