/// The TPM's dictionary-attack counter, shared by everything on the machine.
public struct TPMLockout: Sendable, Hashable {
    /// Whether the TPM currently rejects all auth values.
    public let isLockedOut: Bool
    /// The number of wrong auth values left before the lockout.
    public let triesLeft: Int
    /// The total number of wrong auth values that cause a lockout.
    public let tries: Int
    /// Seconds until one attempt is restored; 0 means never.
    public let secondsPerTry: Int
}
