internal import Crypto
internal import Foundation
internal import MienCore
internal import MienIdentity
internal import MienKeys
package import MienStore

/// The key that signs evidence. It is derived from the master key and does not rotate, so that
/// evidence can be verified offline for years with a public key that was saved once.
package struct EvidenceKey: Sendable {
    private let key: P256.Signing.PrivateKey
    private let publicKey: DevicePublicKey

    package init(_ keys: StoreKeys) throws {
        var counter: UInt8 = 0
        while true {
            if let found = try? P256.Signing.PrivateKey(
                rawRepresentation: keys.evidenceKey(counter))
            {
                key = found
                break
            }
            counter += 1
        }
        let point = Array(key.publicKey.rawRepresentation)
        publicKey = try DevicePublicKey(.p256(x: Array(point[..<32]), y: Array(point[32...])))
    }

    /// Returns the signed file: a compact JWS.
    func sign(_ record: EvidenceRecord) throws -> String {
        let header: JSONValue = [
            "alg": "ES256", "typ": .string(EvidenceRecord.mediaType),
            "kid": .string(publicKey.thumbprint),
        ]
        let body = [header, record.json].map { Base64URL.encode(JSONText.write($0).utf8) }
            .joined(separator: ".")
        let signature = try key.signature(for: Data(body.utf8))
        return "\(body).\(Base64URL.encode(signature.rawRepresentation))"
    }

    /// The public key as a JWK set (RFC 7517).
    var keySet: JSONValue {
        var members = publicKey.jwk.objectValue ?? [:]
        members["kid"] = .string(publicKey.thumbprint)
        members["use"] = "sig"
        members["alg"] = "ES256"
        return ["keys": [.object(members)]]
    }
}
