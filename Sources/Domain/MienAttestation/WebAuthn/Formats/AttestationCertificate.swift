internal import SwiftASN1
internal import X509

/// Rules for the certificates of authenticators' makers (WebAuthn §8.2.1, §8.3.1).
extension Certificate {
    /// id-fido-gen-ce-aaguid
    static let aaguidExtension: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 45724, 1, 1, 4]

    func checkVersion3AndNoAuthority() throws(AttestationError) {
        guard version == .v3 else {
            throw AttestationError(
                .statementCertificate, "an attestation certificate is of version 3")
        }
        guard let constraints = try? extensions.basicConstraints,
            constraints == .notCertificateAuthority
        else {
            throw AttestationError(
                .statementCertificate, "an attestation certificate says that it is no authority")
        }
    }

    /// The model it speaks of has to be the one the authenticator claims, where it says.
    func checkAAGUID(_ aaguid: [UInt8]) throws(AttestationError) {
        guard let found = extensions[oid: Self.aaguidExtension] else { return }
        guard !found.critical else {
            throw AttestationError(
                .statementCertificate, "the AAGUID's extension is marked critical")
        }
        guard let octets = try? ASN1OctetString(derEncoded: DER.parse(found.value)),
            octets.bytes.count == 16
        else {
            throw AttestationError(
                .statementCertificate, "the AAGUID's extension is not an octet string of 16 bytes")
        }
        guard octets.bytes.elementsEqual(aaguid) else {
            throw AttestationError(
                .aaguid, "the certificate is of another model than the authenticator claims to be")
        }
    }

    /// §8.2.1: a country, a maker, the fixed unit, a name.
    func checkPackedSubject() throws(AttestationError) {
        let names = subject.texts
        guard names[.RDNAttributeType.countryName]?.utf8.count == 2,
            names[.RDNAttributeType.organizationName]?.isEmpty == false,
            names[.RDNAttributeType.commonName]?.isEmpty == false
        else {
            throw AttestationError(
                .statementCertificate,
                "the subject of an attestation certificate has country, organisation and common name"
            )
        }
        guard names[.RDNAttributeType.organizationalUnitName] == "Authenticator Attestation" else {
            throw AttestationError(
                .statementCertificate, "the subject's unit is “Authenticator Attestation”")
        }
    }
}

extension DistinguishedName {
    /// By type; the last of several.
    var texts: [ASN1ObjectIdentifier: String] {
        var result: [ASN1ObjectIdentifier: String] = [:]
        for attribute in joined() { result[attribute.type] = String(attribute.value) }
        return result
    }
}
