#if canImport(MienTPM)
internal import Foundation
internal import MienKeys

/// One device key at rest, inside a sealed record.
struct KeyRecord: Codable, Sendable {
    let tag: DeviceKeyTag
    let protection: BiometricAccessConstraint
    /// X9.63, 65 bytes.
    let publicKey: Data
    /// What the vault of the keys made: a TPM's blob; nothing for keys in software.
    let blob: Data
    /// The TPM's auth value, or the private key itself, until a check is passed.
    let secret: LockedSecret
}
#endif
