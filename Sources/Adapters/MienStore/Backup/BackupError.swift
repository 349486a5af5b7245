public import MienCore

/// A backup that cannot be written, read, or restored. The description says what to do, and
/// contains neither the passphrase nor content.
public struct BackupError: CodedError, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// A file of the backup is missing, was changed, or is of another backup.
        case damaged = "backup.damaged"
        /// The folder is no backup, or one of a newer version.
        case format = "backup.format"
        /// The passphrase is wrong, or the manifest was changed.
        case passphrase = "backup.passphrase"
        /// The target exists.
        case exists = "backup.exists"
        /// The decrypted database, its keys, and its audit log do not belong together.
        case content = "backup.content"
        /// A file cannot be read or written.
        case files = "backup.files"
        /// Another backup of the same data is being made.
        case busy = "backup.busy"
    }

    public let code: Code
    public let reason: String
    public var description: String { reason }

    package init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
