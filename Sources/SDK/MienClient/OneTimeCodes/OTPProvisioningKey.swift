internal import Crypto
internal import Foundation
public import MienCore

/// The P-256 key that encrypts an OTP token's secret in transit. It is never printed.
public struct OTPProvisioningKey: Sendable {
    let key: P256.KeyAgreement.PrivateKey

    public init() { key = P256.KeyAgreement.PrivateKey() }

    /// - Parameter bytes: The ``bytes`` of another key.
    /// - Returns: `nil` if they are not a private key.
    public init?(bytes: Sensitive<[UInt8]>) {
        guard
            let key = bytes.use({ try? P256.KeyAgreement.PrivateKey(rawRepresentation: Data($0)) })
        else { return nil }
        self.key = key
    }

    /// The private key, 32 bytes. Seal it when storing it.
    public var bytes: Sensitive<[UInt8]> { Sensitive(Array(key.rawRepresentation)) }
}

extension OTPProvisioningKey: CustomStringConvertible, CustomReflectable {
    public var description: String { "‹sensitive›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
