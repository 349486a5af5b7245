/// What a signature counter says about the key having been copied. The caller decides, and stores
/// ``stored`` with the same write.
public enum SignatureCounter: Sendable, Hashable {
    /// As it should.
    case grew(from: UInt32, to: UInt32)
    /// The authenticator counts nothing, now and before: common for keys that are meant to be on
    /// many devices. Proves nothing.
    case unused
    /// Somebody else has counted further: two copies of the key, or an answer from before.
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

    /// What to remember: never less than before.
    public var stored: UInt32 {
        switch self {
        case .grew(_, let new): new
        case .unused: 0
        case .possibleClone(let stored, _): stored
        }
    }
}
