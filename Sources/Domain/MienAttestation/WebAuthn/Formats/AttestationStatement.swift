internal import MienKeys
internal import SwiftASN1
internal import X509

/// What a statement brings forward.
enum AttestationEvidence {
    case nothing
    case selfSigned
    /// Signed by the first of these certificates, which keeps its format's rules; whether an anchor
    /// stands behind them is open.
    case certified(CertificateChain, understood: Set<ASN1ObjectIdentifier>)
}

/// An attestation statement and what it is about.
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

    /// §8.7
    private func verifyNone() throws(AttestationError) -> AttestationEvidence {
        try expect([])
        return .nothing
    }

    /// Exactly these members: a statement with others is of a format that is not understood.
    func expect(_ names: Set<String>) throws(AttestationError) {
        let found = Set((members.entries ?? []).map { $0.key.textValue ?? "" })
        guard found == names else {
            throw AttestationError(
                .statement,
                "the members of this statement are: \(names.isEmpty ? "none" : names.sorted().joined(separator: ", "))"
            )
        }
    }

    func bytes(_ name: String) throws(AttestationError) -> [UInt8] {
        guard let bytes = members[name]?.bytesValue else {
            throw AttestationError(.statement, "“\(name)” is missing or no bytes")
        }
        return bytes
    }

    func chain() throws(AttestationError) -> CertificateChain {
        guard let values = members["x5c"]?.arrayValue else {
            throw AttestationError(.statement, "“x5c” is no list")
        }
        let ders = values.compactMap(\.bytesValue)
        guard ders.count == values.count else {
            throw AttestationError(.statement, "“x5c” is a list of certificates")
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

    /// `sig` over `message`, by the key of `certificate`, in the way of `alg`.
    func checkSignature(of message: [UInt8], by certificate: Certificate) throws(AttestationError) {
        let certified = try certificate.deviceKey()
        guard certified.algorithm == (try algorithm()) else {
            throw AttestationError(.algorithm, "“alg” is not that of the certificate's key")
        }
        try checkSignature(of: message, by: certified)
    }

    func checkSignature(of message: [UInt8], by key: DevicePublicKey) throws(AttestationError) {
        guard key.isValid(try bytes("sig"), over: message, form: .der) else {
            throw AttestationError(.signature, "“sig” is not a signature of this statement's key")
        }
    }

    func checkSameKey(_ certificate: Certificate) throws(AttestationError) {
        guard try certificate.deviceKey() == key else {
            throw AttestationError(.keyMismatch, "the certificate's key is not the credential's")
        }
    }
}
