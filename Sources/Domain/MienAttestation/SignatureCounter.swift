/// The result of comparing a signature counter, which may reveal that the key was copied. The
/// caller decides, and stores ``stored`` in the same write.
public enum SignatureCounter: Sendable, Hashable {
    /// The expected case.
    case grew(from: UInt32, to: UInt32)
    /// The authenticator does not count, now or before: common for keys that are synchronized
    /// between devices. Proves nothing.
    case unused
    /// The counter was already higher: two copies of the key exist, or the response is old.
    case possibleClone(stored: UInt32, received: UInt32)

    /// WebAuthn §7.2 step 22.
    public init(stored: UInt32, received: UInt32) {
        if stored == 0, received == 0 {
            self = .unused
        } else if received > stored {
            self = .grew(from: stored, to: received)
        } else {
            self = .possibleClone(stored: stored, received: received)
        }
    }

    /// The value to store, never less than before.
    public var stored: UInt32 {
        switch self {
        case .grew(_, let new): new
        case .unused: 0
        case .possibleClone(let stored, _): stored
        }
    }
}
