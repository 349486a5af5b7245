import MienAttestation
import MienKeys
import SwiftASN1
import X509

/// An App Attest attestation like a device's, with one thing changed.
package struct MadeAppAttest: Sendable {
    package var counter: UInt32
    package var aaguid: [UInt8]
    package var credentialID: [UInt8]?
    /// A key to use instead of the signer's key.
    package var key: DevicePublicKey?
    package var hasNonce: Bool
    package var flags: UInt8

    package init(
        counter: UInt32 = 0,
        aaguid: [UInt8] = Array("appattest".utf8) + [UInt8](repeating: 0, count: 7),
        credentialID: [UInt8]? = nil,
        key: DevicePublicKey? = nil, hasNonce: Bool = true, flags: UInt8 = 0x40
    ) {
        (self.counter, self.aaguid, self.credentialID) = (counter, aaguid, credentialID)
        (self.key, self.hasNonce, self.flags) = (key, hasNonce, flags)
    }

    /// - Parameter app: team and bundle, joined by a dot.
    package func object(
        _ signer: SoftwareSigner, by authority: TestAuthority, app: String, clientDataHash: [UInt8]
    ) throws -> (bytes: [UInt8], keyID: [UInt8]) {
        guard case .p256(let x, let y) = signer.publicKey.material else {
            preconditionFailure("App Attest keys use P-256")
        }
        let keyID = Write.sha256([4] + x + y)
        let data = Write.authenticatorData(
            rpID: app, flags: flags, counter: counter,
            credential: (aaguid, credentialID ?? keyID, Write.cose(key ?? signer.publicKey)))
        let nonce = DERText.sequence(
            DERText.explicit(1, DERText.octets(Write.sha256(data + clientDataHash))))
        let extensions =
            try hasNonce
            ? Certificate.Extensions().adding([1, 2, 840, 113635, 100, 8, 2], nonce)
            : Certificate.Extensions()
        let leaf = try authority.issue(
            subject: DistinguishedName { CommonName("key") }, key: .init(signer.publicKey),
            extensions: extensions)
        let statement = Write.map(["x5c": .array([.bytes(leaf)]), "receipt": .bytes([1])])
        return (
            Write.cbor(
                Write.map([
                    "fmt": "apple-appattest", "attStmt": statement, "authData": .bytes(data),
                ])), keyID
        )
    }
}
