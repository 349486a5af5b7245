internal import Crypto
public import MienCore
internal import MienKeys
internal import SwiftASN1
internal import X509

extension AppAttest {
    private static let systemVersion: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 7]

    /// Verifies the output of `DCAppAttestService.attestKey`.
    ///
    /// - Parameters:
    ///   - object: the attestation object.
    ///   - keyID: the app's name for the key, decoded.
    ///   - clientDataHash: SHA-256 of the data that the server asked to attest, which contains a
    ///     single-use challenge of the server.
    ///   - environments: production only, unless development builds are to be accepted.
    public static func verifyAttestation(
        _ object: [UInt8], keyID: [UInt8], clientDataHash: [UInt8], app: AppID,
        environments: Set<Environment> = [.production],
        anchors: [TrustAnchor] = TrustAnchor.appleAppAttest, at now: Instant
    ) throws(AttestationError) -> AppAttestedKey {
        let (statement, bytes) = try parts(object)
        guard let ders = statement["x5c"]?.arrayValue?.compactMap(\.bytesValue),
            ders.count == statement["x5c"]?.arrayValue?.count
        else {
            throw AttestationError(.form, "“x5c” is not a list of certificates")
        }
        guard let receipt = statement["receipt"]?.bytesValue else {
            throw AttestationError(.form, "“receipt” is missing or not a byte string")
        }
        let chain = try CertificateChain(ders), anchor = try chain.verify(anchors: anchors, at: now)
        try AppleNonce.check(chain.leaf, authenticatorData: bytes, clientDataHash: clientDataHash)
        let key = try certifiedKey(chain.leaf)
        guard SHA256.hash(data: key.point).elementsEqual(keyID) else {
            throw AttestationError(.appleKeyID, "the key ID does not match the key")
        }
        let environment = try check(
            AuthenticatorData(bytes), app: app, keyID: keyID, key: key.key,
            environments: environments)
        return AppAttestedKey(
            key: key.key, keyID: keyID, environment: environment, receipt: receipt,
            systemVersion: version(chain.leaf), anchor: anchor.fingerprint)
    }

    /// Returns the key ID that an attestation object contains: its credential's ID. Verifies nothing.
    public static func keyID(of object: [UInt8]) throws(AttestationError) -> [UInt8] {
        guard let credential = try AuthenticatorData(parts(object).authenticatorData).credential
        else {
            throw AttestationError(.authenticatorData, "the credential is missing")
        }
        return credential.id
    }

    private static func parts(_ object: [UInt8]) throws(AttestationError) -> (
        statement: CBORValue, authenticatorData: [UInt8]
    ) {
        let value: CBORValue
        do {
            // Nothing signs the object itself, so its members may have any order.
            value = try CBOR.read(object, form: .general, limits: CBOR.Limits(maxBytes: maxBytes))
        } catch {
            throw AttestationError(.form, "the attestation object: \(error)")
        }
        guard value["fmt"] == "apple-appattest" else {
            throw AttestationError(.appleFormat, "“fmt” must be apple-appattest")
        }
        guard let statement = value["attStmt"], let bytes = value["authData"]?.bytesValue else {
            throw AttestationError(.form, "“attStmt” or “authData” is missing")
        }
        return (statement, bytes)
    }

    private static func certifiedKey(_ certificate: Certificate) throws(AttestationError) -> (
        key: DevicePublicKey, point: [UInt8]
    ) {
        let key = try certificate.deviceKey()
        guard case .p256(let x, let y) = key.material else {
            throw AttestationError(.key, "the certificate's key must be P-256")
        }
        return (key, [4] + x + y)
    }

    private static func check(
        _ data: AuthenticatorData, app: AppID, keyID: [UInt8], key: DevicePublicKey,
        environments: Set<Environment>
    ) throws(AttestationError) -> Environment {
        try checkApp(data, app)
        guard data.counter == 0 else {
            throw AttestationError(.counter, "the counter of a new key must be 0")
        }
        guard let credential = data.credential else {
            throw AttestationError(.authenticatorData, "the credential is missing")
        }
        guard
            let environment = Environment.allCases.first(where: { $0.aaguid == credential.aaguid })
        else {
            throw AttestationError(.appleEnvironment, "the AAGUID is not one of App Attest's")
        }
        guard environments.contains(environment) else {
            throw AttestationError(
                .appleEnvironment,
                "a \(environment.rawValue) key is not accepted; accepted: \(environments.map(\.rawValue).sorted().joined(separator: ", "))"
            )
        }
        guard credential.id == keyID else {
            throw AttestationError(.appleCredentialID, "the credential's ID is not the key's")
        }
        guard try DevicePublicKey(cose: credential.key) == key else {
            throw AttestationError(.keyMismatch, "the credential's key is not the certificate's")
        }
        return environment
    }

    static func checkApp(_ data: AuthenticatorData, _ app: AppID) throws(AttestationError) {
        guard SHA256.hash(data: Array(app.text.utf8)).elementsEqual(data.relyingPartyHash) else {
            throw AttestationError(
                .relyingParty, "the key belongs to another app than this team and bundle")
        }
    }

    /// Reads the version, field 1400 of a sequence of numbered fields.
    private static func version(_ certificate: Certificate) -> String? {
        guard let value = certificate.value(of: systemVersion), value.count < 256,
            let root = try? DER.parse(value)
        else { return nil }
        let text = try? DER.sequence(root, identifier: .sequence) { fields -> String? in
            var found: String?
            while let field = fields.next() {
                guard field.identifier.tagNumber == 1400,
                    case .constructed(let inner) = field.content,
                    let node = inner.first(where: { _ in true })
                else {
                    continue
                }
                found = String(
                    validating: try ASN1OctetString(derEncoded: node).bytes, as: UTF8.self)
            }
            return found
        }
        return text.flatMap { $0 }?.printable
    }
}
