public import MienCore

/// The kind of session that a start token opens. The token says so itself, with its prefix.
public struct StartToken: Sendable {
    public enum Kind: Sendable, Hashable {
        /// A capture of a face: ``CaptureSession``.
        case capture
        /// A session with a document, and mostly a face: ``DocumentSession``.
        case documents
    }

    public let kind: Kind

    public init(_ token: Sensitive<String>) {
        kind = token.use { $0.hasPrefix("idv_") } ? .documents : .capture
    }
}
