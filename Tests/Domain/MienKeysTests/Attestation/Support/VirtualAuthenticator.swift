import Crypto
import MienAttestation
import MienCore
import MienKeys
import MienServerTesting
import SwiftASN1
import X509

/// An authenticator and a browser in one. Creates the data they would send, with any part changed.
struct VirtualAuthenticator {
    static let rp = RelyingParty(id: "example.org", origins: ["https://example.org"])
    static let challenge = Write.sha256(Array("a challenge".utf8))
    static let aaguid = [UInt8](1...16)

    var signer: SoftwareSigner
    var rpID = "example.org"
    /// User present, user verified, with a credential.
    var flags: UInt8 = 0x45
    var counter: UInt32 = 0
    var aaguid = VirtualAuthenticator.aaguid
    var id = [UInt8](repeating: 0xcd, count: 32)
    /// Replaces the signer's key.
    var claimedKey: DevicePublicKey?
    /// Appended after the credential.
    var more: [UInt8] = []
    var client: [String: JSONValue] = [
        "type": "webauthn.create", "challenge": .string(Base64URL.encode(challenge)),
        "origin": "https://example.org", "crossOrigin": false,
    ]

    init(_ algorithm: DeviceKeyAlgorithm = .es256) {
        signer = try! SoftwareSigner.generate(algorithm)
    }

    func with(_ change: (inout Self) -> Void) -> Self {
        var result = self
        change(&result)
        return result
    }

    var clientDataJSON: [UInt8] { Array(JSONText.write(.object(client)).utf8) }
    var clientDataHash: [UInt8] { Write.sha256(clientDataJSON) }

    var authenticatorData: [UInt8] {
        let credential =
            flags & 0x40 == 0 ? nil : (aaguid, id, Write.cose(claimedKey ?? signer.publicKey))
        return Write.authenticatorData(
            rpID: rpID, flags: flags, counter: counter, credential: credential, more: more)
    }

    var signed: [UInt8] { authenticatorData + clientDataHash }

    func object(_ format: String, _ statement: [String: CBORValue]) -> [UInt8] {
        Write.cbor(
            Write.map([
                "fmt": .text(format), "attStmt": Write.map(statement),
                "authData": .bytes(authenticatorData),
            ]))
    }

    var none: [UInt8] { object("none", [:]) }

    func selfAttested() throws -> [UInt8] {
        object(
            "packed", ["alg": Self.number(signer), "sig": .bytes(try Self.sign(signed, signer))])
    }

    /// Returns a response at sign-in.
    func answer() throws -> AuthenticationVerifier.Response {
        let data = authenticatorData
        let signature = try Self.sign(data + clientDataHash, signer)
        return .init(
            credentialID: id, clientDataJSON: clientDataJSON, authenticatorData: data,
            signature: signature)
    }

    /// Signs in the encoding that authenticators use: ECDSA in DER.
    static func sign(_ message: [UInt8], _ signer: SoftwareSigner) throws -> [UInt8] {
        let signature = try signer.sign(message)
        return signer.publicKey.algorithm == .es256
            ? ES256Signature.der(raw: signature)! : signature
    }

    static func number(_ signer: SoftwareSigner) -> CBORValue {
        switch signer.publicKey.algorithm {
        case .es256: CBORValue(integer: -7)
        case .edDSA: CBORValue(integer: -8)
        case .rs256: CBORValue(integer: -257)
        }
    }
}
