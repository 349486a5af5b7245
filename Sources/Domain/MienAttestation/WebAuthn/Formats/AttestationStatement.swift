internal import MienKeys
internal import SwiftASN1
internal import X509

/// The evidence in a statement.
enum AttestationEvidence {
    case nothing
    case selfSigned
    /// A signature by the first of these certificates, which satisfies its format's rules. The
    /// chain is not yet verified against anchors.
    case certified(CertificateChain, understood: Set<ASN1ObjectIdentifier>)
}

/// An attestation statement and its subject.
struct AttestationStatement {
    let members: CBORValue
    let authenticatorData: [UInt8]
    let clientDataHash: [UInt8]
    let data: AuthenticatorData
    let credential: AuthenticatorData.Credential
    let key: DevicePublicKey

    var signed: [UInt8] { authenticatorData + clientDataHash }

    func verify(_ format: AttestationFormat) throws(AttestationError) -> AttestationEvidence {
        switch format {
        case .none: try verifyNone()
        case .packed: try verifyPacked()
        case .apple: try verifyApple()
        case .androidKey: try verifyAndroidKey()
        case .tpm: try verifyTPM()
        case .fidoU2F: try verifyFIDOU2F()
        }
    }

    /// Verifies a statement of format `none` (§8.7).
    private func verifyNone() throws(AttestationError) -> AttestationEvidence {
        try expect([])
        return .nothing
    }

    /// Checks that the statement has exactly these members. One with others belongs to an
    /// unsupported format.
    func expect(_ names: Set<String>) throws(AttestationError) {
        let found = Set((members.entries ?? []).map { $0.key.textValue ?? "" })
        guard found == names else {
            throw AttestationError(
                .statement,
                "the statement must have exactly these members: \(names.isEmpty ? "none" : names.sorted().joined(separator: ", "))"
            )
        }
    }

    func bytes(_ name: String) throws(AttestationError) -> [UInt8] {
        guard let bytes = members[name]?.bytesValue else {
            throw AttestationError(.statement, "“\(name)” is missing or not a byte string")
        }
        return bytes
    }

    func chain() throws(AttestationError) -> CertificateChain {
        guard let values = members["x5c"]?.arrayValue else {
            throw AttestationError(.statement, "“x5c” must be an array")
        }
        let ders = values.compactMap(\.bytesValue)
        guard ders.count == values.count else {
            throw AttestationError(.statement, "“x5c” must be an array of certificates")
        }
        return try CertificateChain(ders)
    }

    func algorithm() throws(AttestationError) -> DeviceKeyAlgorithm {
        guard let number = members["alg"]?.integerValue,
            let algorithm = COSEAlgorithm.algorithm(number)
        else {
            throw AttestationError(.algorithm, "“alg” of the statement: \(COSEAlgorithm.taken)")
        }
        return algorithm
    }

    /// Checks `sig` over `message` with the key of `certificate` and the algorithm `alg`.
    func checkSignature(of message: [UInt8], by certificate: Certificate) throws(AttestationError) {
        let certified = try certificate.deviceKey()
        guard certified.algorithm == (try algorithm()) else {
            throw AttestationError(.algorithm, "“alg” does not match the certificate's key")
        }
        try checkSignature(of: message, by: certified)
    }

    func checkSignature(of message: [UInt8], by key: DevicePublicKey) throws(AttestationError) {
        guard key.isValid(try bytes("sig"), over: message, form: .der) else {
            throw AttestationError(.signature, "“sig” does not match this statement's key")
        }
    }

    func checkSameKey(_ certificate: Certificate) throws(AttestationError) {
        guard try certificate.deviceKey() == key else {
            throw AttestationError(.keyMismatch, "the certificate's key is not the credential's")
        }
    }
}
