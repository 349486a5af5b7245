public import MienCore

/// A failure of the store. Branch on ``code``. Show ``reason`` to an operator; it holds no personal
/// data and no secret.
public struct StoreError: CodedError {
    public enum Code: String, Sendable, CaseIterable {
        /// Too many writes are waiting. Try again later.
        case busy = "store.busy"
        /// A stored value cannot be decoded or decrypted.
        case corrupt = "store.corrupt"
        /// A stored value is sealed under another master key.
        case foreignKey = "store.foreign-key"
        /// The database cannot be opened, read, or written.
        case unreachable = "store.unreachable"
        /// Nothing can be written: the disk is full or fails, or the database is read-only.
        case unwritable = "store.unwritable"
        /// Another row already has that key.
        case conflict = "store.conflict"
        /// The row has changed since it was read, or no longer exists.
        case stale = "store.stale"
        /// A newer version of this program created the database.
        case tooNew = "store.too-new"
        /// A program from before the first version created the database.
        case tooOld = "store.too-old"
        /// The database lacks data that its server had committed.
        case incomplete = "store.incomplete"
        /// The database was copied elsewhere, where its server goes on.
        case moved = "store.moved"
        /// The connection was lost during a commit, and whether the data was written is unknown.
        case uncertain = "store.uncertain"
    }

    public let code: Code
    public let reason: String

    /// Whether the row itself is at fault: reading it again fails again, and others can be read.
    public var isOfRow: Bool { code == .corrupt || code == .foreignKey }

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
