/// The result of comparing a file's change counter with the copy of the counter kept elsewhere,
/// which tells whether the file is the latest version.
///
/// The file is written first, then the copy is advanced, and only then is anything shown. So after
/// a crash the file may be one ahead, and it is never behind.
enum Generation: Equatable, Sendable {
    case present
    /// The copy was not advanced, so nothing of this change was shown.
    case interrupted
    /// The file or the copy was restored from a backup.
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
