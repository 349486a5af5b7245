/// Whether a file that counts its changes is the one that was written last, told from the count
/// kept in a second place.
///
/// The file is written first, the second place follows, and only then is anything shown: so the
/// file may be one ahead, after a crash, and never behind.
enum Generation: Equatable, Sendable {
    case present
    /// The second place has not followed: nothing was shown of this change.
    case interrupted
    /// The file, or the second place, was put back from a copy.
    case restored

    init(file: UInt64, witness: UInt64?) {
        self =
            switch witness {
            case .some(file): .present
            case .some(let witness) where witness < .max && file == witness + 1: .interrupted
            case .some, .none: .restored
            }
    }
}
