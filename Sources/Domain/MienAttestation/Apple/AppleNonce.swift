internal import Crypto
internal import SwiftASN1
internal import X509

/// Verification of the nonce extension, with which Apple binds a certificate to data (App Attest,
/// and WebAuthn's format `apple`).
enum AppleNonce {
    private static let oid: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 2]

    /// - Throws: unless the extension of `certificate` is SHA-256 of `authenticatorData` and
    ///   `clientDataHash`, concatenated.
    static func check(
        _ certificate: Certificate, authenticatorData: [UInt8], clientDataHash: [UInt8]
    ) throws(AttestationError) {
        guard let value = certificate.value(of: oid) else {
            throw AttestationError(.appleNonceMissing, "the certificate has no extension \(oid)")
        }
        guard let nonce = try? octets(value) else {
            throw AttestationError(
                .appleNonceMissing,
                "extension \(oid) must be a sequence of [1] with an octet string"
            )
        }
        guard nonce.elementsEqual(SHA256.hash(data: authenticatorData + clientDataHash)) else {
            throw AttestationError(
                .appleNonce, "the certificate was created for other data or another challenge")
        }
    }

    private static func octets(_ value: [UInt8]) throws -> [UInt8] {
        try DER.sequence(DER.parse(value), identifier: .sequence) { fields in
            try DER.explicitlyTagged(&fields, tagNumber: 1, tagClass: .contextSpecific) {
                Array(try ASN1OctetString(derEncoded: $0).bytes)
            }
        }
    }
}
