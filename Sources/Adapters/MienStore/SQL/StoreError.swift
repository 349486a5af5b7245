public import MienCore

/// The store could not do what was asked. Branch on ``code``; show ``reason`` to an operator: it
/// holds no personal data and no secret.
public struct StoreError: CodedError {
    public enum Code: String, Sendable, CaseIterable {
        /// Too much waits to be written: try again later.
        case busy = "store.busy"
        /// A stored value cannot be understood, or does not open.
        case corrupt = "store.corrupt"
        /// The database cannot be opened, read or written.
        case unreachable = "store.unreachable"
        /// Another row has that key already.
        case conflict = "store.conflict"
        /// The row has changed since it was read, or is gone.
        case stale = "store.stale"
        /// The database was made by a newer version of this program.
        case tooNew = "store.too-new"
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
