/// What an Android key has to be. Each part is looked for where hardware enforces it.
public struct AndroidKeyPolicy: Sendable, Hashable {
    public enum UserAuthentication: Sendable, Hashable {
        /// Whether the user is asked is not looked at.
        case any
        /// Each use asks for a biometric or, where the app allows it, the device's credential.
        case biometric
        /// Each use asks for a biometric, and nothing else will do.
        case biometricOnly
    }

    public enum Boot: Sendable, Hashable {
        /// Locked boot loader, the maker's system.
        case verified
        /// Locked, also with a system of the owner's own key.
        case lockedOwnKey
        case any
    }

    /// Of the key and of what attests it.
    public var minimumLevel: KeyDescription.SecurityLevel = .trustedEnvironment
    public var boot: Boot = .verified
    public var userAuthentication: UserAuthentication = .biometric
    /// One of these packages asked for the key; `nil`: any. Android itself says so, thus worth
    /// something with ``boot`` verified.
    public var packages: Set<String>?
    /// SHA-256 of the certificates that sign the app, one of these; `nil`: any.
    public var signatures: Set<[UInt8]>?
    /// Year and month, such as 202601; `nil`: any.
    public var minimumPatchLevel: Int?

    public init() {}
}
