/// The requirements for an Android key. Each is checked against the values that hardware enforces.
public struct AndroidKeyPolicy: Sendable, Hashable {
    public enum UserAuthentication: Sendable, Hashable {
        /// User authentication is not checked.
        case any
        /// Each use requires a biometric or, where the app allows it, the device's credential.
        case biometric
        /// Each use requires a biometric; no alternative is accepted.
        case biometricOnly
    }

    public enum Boot: Sendable, Hashable {
        /// A locked boot loader and the manufacturer's system.
        case verified
        /// A locked boot loader, including systems signed with the owner's own key.
        case lockedOwnKey
        case any
    }

    /// The minimum security level of the key and its attestation.
    public var minimumLevel: KeyDescription.SecurityLevel = .trustedEnvironment
    public var boot: Boot = .verified
    public var userAuthentication: UserAuthentication = .biometric
    /// The packages that may have requested the key; `nil` for any. Android itself reports the
    /// package, so it is only reliable if ``boot`` is verified.
    public var packages: Set<String>?
    /// SHA-256 of the certificates that may sign the app; `nil` for any.
    public var signatures: Set<[UInt8]>?
    /// The minimum year and month, such as 202601; `nil` for any.
    public var minimumPatchLevel: Int?

    public init() {}
}
