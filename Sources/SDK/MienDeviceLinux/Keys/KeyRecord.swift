internal import Foundation
internal import MienKeys

/// One stored device key, inside a sealed record.
struct KeyRecord: Codable, Sendable {
    let tag: DeviceKeyTag
    let protection: BiometricAccessConstraint
    /// Whether the passcode may unlock the key.
    let policy: BiometricPolicy
    /// The public key in X9.63 form, 65 bytes.
    let publicKey: Data
    /// The data of the key's store: a TPM's blob; empty for keys in software.
    let blob: Data
    /// The TPM's auth value or the private key itself, locked until a check passes.
    let secret: LockedSecret
}
