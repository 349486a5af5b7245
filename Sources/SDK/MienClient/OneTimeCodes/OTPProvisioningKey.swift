internal import Crypto
internal import Foundation
public import MienCore

/// The key that a token's secret travels under, on P-256. Never prints.
public struct OTPProvisioningKey: Sendable {
    let key: P256.KeyAgreement.PrivateKey

    public init() { key = P256.KeyAgreement.PrivateKey() }

    /// - Parameter bytes: ``bytes`` of another one.
    /// - Returns: `nil` when they are none of a key.
    public init?(bytes: Sensitive<[UInt8]>) {
        guard
            let key = bytes.use({ try? P256.KeyAgreement.PrivateKey(rawRepresentation: Data($0)) })
        else { return nil }
        self.key = key
    }

    /// 32 of them: keep them sealed.
    public var bytes: Sensitive<[UInt8]> { Sensitive(Array(key.rawRepresentation)) }
}

extension OTPProvisioningKey: CustomStringConvertible, CustomReflectable {
    public var description: String { "‹sensitive›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
