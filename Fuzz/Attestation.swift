import Crypto
import MienCore
import MienKeys
import MienServerTesting

@testable import MienAttestation

/// Reads any bytes as an attestation object, of WebAuthn and of App Attest: as sent, and completed
/// with hashes and with signatures of the known key. Seeds: Fuzz/Seeds/Attestation. Their generator
/// describes the placeholders.
///
/// Must hold: the result is an error, or the credential of the authenticator data, with the proof
/// of its format. Without signatures nothing is proved, and every changed object is refused.
func fuzzAttestation(_ bytes: [UInt8]) {
    if let sent = register(bytes) {
        precondition(sent.proof == .nothing, "a forged attestation is accepted")
    }
    precondition(attest(bytes) == nil, "a forged App Attest object is accepted")
    guard let object = Completed(bytes) else { return }
    let position = position(in: bytes)
    if let credential = register(object.bytes) { check(credential, object, position) }
    if let key = attest(object.bytes) {
        precondition(
            object["fmt"] == "apple-appattest" && key.keyID == keyID
                && key.key == knownPublicKey && key.anchor == anchor.fingerprint)
        precondition(attest(object.changed(at: position)) == nil, "changed data is accepted")
    }
}

private let challenge = [UInt8](0..<32)
private let client: [UInt8] = Array(
    """
    {"type":"webauthn.create","challenge":"\(Base64URL.encode(challenge))",\
    "origin":"https://example.org"}
    """.utf8)
private let clientHash = Write.sha256(client)
private let app = AppAttest.AppID(team: "ABCDE12345", bundle: "org.example.app")
private let keyID = Write.sha256(Array(knownKey.publicKey.x963Representation))
private let verifier: RegistrationVerifier = {
    var verifier = RegistrationVerifier(
        relyingParty: RelyingParty(id: "example.org", origins: ["https://example.org"]))
    for format in AttestationFormat.allCases { verifier.anchors[format] = [anchor] }
    return verifier
}()

private func register(_ object: [UInt8]) -> RegisteredCredential? {
    func verify(_ challenge: [UInt8]) throws(AttestationError) -> RegisteredCredential {
        try verifier.verify(
            clientDataJSON: client, attestationObject: object, challenge: challenge,
            at: verificationTime)
    }
    do throws(AttestationError) {
        let credential = try verify(challenge)
        precondition((try? verify([1])) == nil, "a wrong challenge is accepted")
        return credential
    } catch {
        checkReason(error)
        return nil
    }
}

private func attest(_ object: [UInt8]) -> AppAttestedKey? {
    do throws(AttestationError) {
        return try AppAttest.verifyAttestation(
            object, keyID: keyID, clientDataHash: clientHash, app: app,
            environments: Set(AppAttest.Environment.allCases), anchors: [anchor],
            at: verificationTime)
    } catch {
        checkReason(error)
        return nil
    }
}

private func check(_ credential: RegisteredCredential, _ object: Completed, _ position: Int) {
    guard let data = try? AuthenticatorData(object.authenticatorData),
        let claimed = data.credential, let key = try? DevicePublicKey(cose: claimed.key),
        let name = object["fmt"]?.textValue, let format = AttestationFormat(rawValue: name)
    else { preconditionFailure("accepted without a credential") }
    precondition(
        credential.id == claimed.id && credential.key == key && credential.aaguid == claimed.aaguid
            && credential.counter == data.counter)
    precondition(
        data.relyingPartyHash == Write.sha256(Array("example.org".utf8))
            && data.flags.isSuperset(of: [.userPresent, .userVerified]))
    precondition(credential.isBackupEligible || !credential.isBackedUp)
    switch credential.proof {
    case .nothing: precondition(format == .none)
    case .selfSigned: precondition(format == .packed && object["attStmt"]?["x5c"] == nil)
    case .unanchored: preconditionFailure("a chain leads to no anchor")
    case .anchored(let proved, let root):
        precondition(proved == format && root == anchor.fingerprint)
    }
    guard credential.proof != .nothing else { return }
    // U2F does not sign the flags and the counter.
    let at = format == .fidoU2F ? position % 32 : position
    precondition(register(object.changed(at: at)) == nil, "changed data is accepted")
}

/// An attestation object with its placeholders filled and its signatures made.
private struct Completed {
    private let value: CBORValue
    let authenticatorData: [UInt8]

    var bytes: [UInt8] { Write.cbor(value) }

    subscript(name: String) -> CBORValue? { value[name] }

    init?(_ bytes: [UInt8]) {
        guard let value = try? CBOR.read(bytes, form: .ctap2),
            let data = value["authData"]?.bytesValue, let statement = value["attStmt"],
            statement.entries != nil, let format = value["fmt"]?.textValue
        else { return nil }
        authenticatorData = data
        let signed = data + clientHash
        var filled = Self.filling(
            statement,
            [
                Self.placeholder(0xa1): Write.sha256(signed), Self.placeholder(0xa2): clientHash,
            ])
        let area = Write.sha256(filled["pubArea"]?.bytesValue ?? [])
        filled = Self.filling(filled, [Self.placeholder(0xa3): area])
        var message = signed
        switch format {
        case "tpm": message = filled["certInfo"]?.bytesValue ?? []
        case "fido-u2f":
            if let data = try? AuthenticatorData(data), let credential = data.credential,
                let key = try? DevicePublicKey(cose: credential.key),
                case .p256(let x, let y) = key.material
            {
                message = [0] + data.relyingPartyHash + clientHash + credential.id + [4] + x + y
            }
        default: break
        }
        filled = Self.replacing("sig", in: filled) { _ in .bytes(signature(over: message)) }
        filled = Self.replacing("x5c", in: filled) { chain in
            guard let ders = chain.arrayValue, ders.count < 10 else { return chain }
            return .array(
                ders.map { der in
                    der.bytesValue.flatMap(signedAgain).map { .bytes($0) } ?? der
                })
        }
        self.value = Self.replacing("attStmt", in: value) { _ in filled }
    }

    private init(_ value: CBORValue, _ authenticatorData: [UInt8]) {
        (self.value, self.authenticatorData) = (value, authenticatorData)
    }

    /// Returns the object with one bit of the authenticator data changed, and nothing else.
    func changed(at position: Int) -> [UInt8] {
        var data = authenticatorData
        data[position % data.count] ^= 1 << UInt8(position / 256 % 8)
        return Write.cbor(Self.replacing("authData", in: value) { _ in .bytes(data) })
    }

    private static func placeholder(_ byte: UInt8) -> [UInt8] {
        [UInt8](repeating: byte, count: 32)
    }

    private static func replacing(
        _ name: String, in map: CBORValue, _ change: (CBORValue) -> CBORValue
    ) -> CBORValue {
        .map(
            (map.entries ?? []).map {
                $0.key == .text(name) ? CBOREntry($0.key, change($0.value)) : $0
            })
    }

    /// Replaces the placeholders in all byte strings of `value`.
    private static func filling(_ value: CBORValue, _ hashes: [[UInt8]: [UInt8]]) -> CBORValue {
        switch value {
        case .bytes(var bytes):
            for (placeholder, hash) in hashes {
                while let range = bytes.firstRange(of: placeholder), hash != placeholder {
                    bytes.replaceSubrange(range, with: hash)
                }
            }
            return .bytes(bytes)
        case .array(let values): return .array(values.map { filling($0, hashes) })
        case .map(let entries):
            return .map(entries.map { CBOREntry($0.key, filling($0.value, hashes)) })
        default: return value
        }
    }
}
