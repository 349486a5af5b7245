internal import Crypto
internal import Foundation
public import MienCore

/// A key to create.
public struct DeviceKeyRequest: Sendable, Hashable {
    public let tag: DeviceKeyTag
    public let protection: BiometricAccessConstraint
    /// Whether the passcode may ever unlock the key: a request to use it can only narrow this.
    public let policy: BiometricPolicy
    /// A server's challenge for an attestation; `nil` if none is wanted.
    public let challenge: String?

    public init(
        tag: DeviceKeyTag, protection: BiometricAccessConstraint,
        policy: BiometricPolicy = .deviceOwnerAuthenticationWithBiometrics,
        challenge: String? = nil
    ) {
        (self.tag, self.protection, self.policy, self.challenge) = (
            tag, protection, policy, challenge
        )
    }
}

/// A created key.
public struct MadeDeviceKey: Sendable, Hashable {
    public let publicKey: DevicePublicKey
    /// `nil` if no challenge was given, or if the device cannot attest keys.
    public let attestation: DeviceKeyAttestation?

    public init(_ publicKey: DevicePublicKey, attestation: DeviceKeyAttestation? = nil) {
        (self.publicKey, self.attestation) = (publicKey, attestation)
    }
}

/// A device's proof of where a key is stored, or of which app created it, in the form that servers
/// accept.
public enum DeviceKeyAttestation: Sendable, Hashable {
    /// The certificate chain of Android's key store, DER, with the key's own certificate first.
    case androidKey(chain: [[UInt8]])
    /// The object that Apple's `attestKey` returns, for the hash
    /// ``appleClientDataHash(challenge:key:)``, and the key ID that it was called with.
    case appleAppAttest(object: [UInt8], keyID: String)

    /// The attestation as JSON, for the `attestation` of a biometric request.
    public var json: JSONValue {
        func base64(_ bytes: [UInt8]) -> JSONValue { .string(Data(bytes).base64EncodedString()) }
        switch self {
        case .androidKey(let chain):
            return ["format": "android-key", "chain": .array(chain.map(base64))]
        case .appleAppAttest(let object, let keyID):
            return [
                "format": "apple-appattest", "object": base64(object), "key_id": .string(keyID),
            ]
        }
    }

    /// The attestation as text, for the `attestation` of a journey's step.
    public var text: String { JSONText.write(json) }

    /// Returns the hash to attest with App Attest: SHA-256 of the challenge, a period, and the key's
    /// thumbprint.
    public static func appleClientDataHash(challenge: String, key: DevicePublicKey) -> [UInt8] {
        Array(SHA256.hash(data: Array("\(challenge).\(key.thumbprint)".utf8)))
    }
}
