public import MienCore

/// A model pack cannot be used. Branch on ``code``; show ``reason``, which says what to do, to an
/// operator.
public struct PackError: CodedError {
    /// Stable words: logged, counted, documented, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        /// No pack of that name, or no pack at all, is installed.
        case notInstalled = "pack.not-installed"
        /// The folder holds no manifest, or one that cannot be understood.
        case badManifest = "pack.bad-manifest"
        /// A file of the pack is missing or not what the manifest says.
        case damaged = "pack.damaged"
        /// A pack of that name is there already, with other contents.
        case conflict = "pack.conflict"
        /// What was to be installed is not there: there is neither folder nor file at the path
        /// given.
        case notFound = "pack.not-found"
        /// The pack could not be fetched or copied.
        case unavailable = "pack.unavailable"
        /// The pack would come over a connection that anybody between can change, and nothing says
        /// what it has to be.
        case insecure = "pack.insecure"
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}

extension PackError {
    public var description: String { reason }
}
