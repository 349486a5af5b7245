internal import SwiftASN1
internal import X509

/// Rules for the certificates of authenticator manufacturers (WebAuthn §8.2.1, §8.3.1).
extension Certificate {
    /// id-fido-gen-ce-aaguid
    static let aaguidExtension: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 45724, 1, 1, 4]

    func checkVersion3AndNoAuthority() throws(AttestationError) {
        guard version == .v3 else {
            throw AttestationError(
                .statementCertificate, "an attestation certificate must be of version 3")
        }
        guard let constraints = try? extensions.basicConstraints,
            constraints == .notCertificateAuthority
        else {
            throw AttestationError(
                .statementCertificate,
                "an attestation certificate must state that it is not an authority")
        }
    }

    /// Checks that the certificate's model, if it names one, is the model that the authenticator
    /// claims.
    func checkAAGUID(_ aaguid: [UInt8]) throws(AttestationError) {
        guard let found = extensions[oid: Self.aaguidExtension] else { return }
        guard !found.critical else {
            throw AttestationError(
                .statementCertificate, "the AAGUID's extension must not be critical")
        }
        guard let octets = try? ASN1OctetString(derEncoded: DER.parse(found.value)),
            octets.bytes.count == 16
        else {
            throw AttestationError(
                .statementCertificate, "the AAGUID's extension must be an octet string of 16 bytes")
        }
        guard octets.bytes.elementsEqual(aaguid) else {
            throw AttestationError(
                .aaguid, "the certificate belongs to a model other than the authenticator claims")
        }
    }

    /// Checks the subject (§8.2.1): a country, an organization, the fixed unit, and a name.
    func checkPackedSubject() throws(AttestationError) {
        let names = subject.texts
        guard names[.RDNAttributeType.countryName]?.utf8.count == 2,
            names[.RDNAttributeType.organizationName]?.isEmpty == false,
            names[.RDNAttributeType.commonName]?.isEmpty == false
        else {
            throw AttestationError(
                .statementCertificate,
                "the subject of an attestation certificate must have a country, an organization, and a common name"
            )
        }
        guard names[.RDNAttributeType.organizationalUnitName] == "Authenticator Attestation" else {
            throw AttestationError(
                .statementCertificate, "the subject's unit must be “Authenticator Attestation”")
        }
    }
}

extension DistinguishedName {
    /// The values by type; the last one if a type occurs several times.
    var texts: [ASN1ObjectIdentifier: String] {
        var result: [ASN1ObjectIdentifier: String] = [:]
        for attribute in joined() { result[attribute.type] = String(attribute.value) }
        return result
    }
}
