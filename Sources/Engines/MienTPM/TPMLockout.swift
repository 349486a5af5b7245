/// The TPM's dictionary-attack counter, shared by everything on the machine.
public struct TPMLockout: Sendable, Hashable {
    /// No auth value is judged now.
    public let isLockedOut: Bool
    /// Wrong auth values until it is.
    public let triesLeft: Int
    /// Wrong auth values it takes from a fresh start.
    public let tries: Int
    /// One try comes back after so many seconds; 0: never.
    public let secondsPerTry: Int
}
