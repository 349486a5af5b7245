internal import Crypto
internal import SwiftASN1
internal import X509

extension AttestationStatement {
    private static let keyPurpose: ASN1ObjectIdentifier = [2, 23, 133, 8, 3]
    private static let maker: ASN1ObjectIdentifier = [2, 23, 133, 2, 1],
        model: ASN1ObjectIdentifier = [2, 23, 133, 2, 2]
    private static let version: ASN1ObjectIdentifier = [2, 23, 133, 2, 3]

    /// Verifies a statement of format `tpm` (§8.3): a TPM certifies with a key of its own that it
    /// holds the credential's key.
    func verifyTPM() throws(AttestationError) -> AttestationEvidence {
        try expect(["alg", "certInfo", "pubArea", "sig", "ver", "x5c"])
        guard members["ver"] == "2.0" else {
            throw AttestationError(.statement, "“ver” must be 2.0")
        }
        let area = try bytes("pubArea"), information = try bytes("certInfo"), chain = try chain()
        let certified = try TPMPublic(area)
        guard certified.key == key else {
            throw AttestationError(
                .keyMismatch, "“pubArea” contains a key other than the credential's")
        }
        let attest = try TPMAttest(information)
        guard attest.extraData.elementsEqual(SHA256.hash(data: signed)) else {
            throw AttestationError(
                .challenge, "“certInfo” was created for other data or another challenge")
        }
        guard attest.name == certified.name(of: area) else {
            throw AttestationError(.tpm, "“certInfo” certifies a key other than “pubArea”")
        }
        try checkSignature(of: information, by: chain.leaf)
        try Self.checkCertificate(chain.leaf)
        try chain.leaf.checkAAGUID(credential.aaguid)
        return .certified(
            chain,
            understood: [
                .X509ExtensionID.subjectAlternativeName, .X509ExtensionID.extendedKeyUsage,
            ])
    }

    /// Checks the certificate of a TPM's key (§8.3.1).
    private static func checkCertificate(_ certificate: Certificate) throws(AttestationError) {
        try certificate.checkVersion3AndNoAuthority()
        guard certificate.subject.isEmpty else {
            throw AttestationError(
                .statementCertificate, "the subject of a TPM's certificate must be empty")
        }
        guard let usage = try? certificate.extensions.extendedKeyUsage,
            usage.contains(ExtendedKeyUsage.Usage(oid: keyPurpose))
        else {
            throw AttestationError(
                .statementCertificate,
                "the extended key usage of a TPM's certificate must include \(keyPurpose)")
        }
        guard let names = try? certificate.extensions.subjectAlternativeNames else {
            throw AttestationError(
                .statementCertificate, "a TPM's certificate must have an alternative name")
        }
        var texts: [ASN1ObjectIdentifier: String] = [:]
        for case .directoryName(let name) in names { texts.merge(name.texts) { $1 } }
        // The manufacturer in the TCG's registry: four bytes in hexadecimal.
        guard let maker = texts[maker], maker.hasPrefix("id:"), maker.utf8.count == 11,
            maker.dropFirst(3).allSatisfy({ $0.isASCII && $0.isHexDigit }),
            texts[model]?.isEmpty == false, texts[version]?.hasPrefix("id:") == true
        else {
            throw AttestationError(
                .statementCertificate,
                "the alternative name must have the TPM's manufacturer, model, and version"
            )
        }
    }
}
