public import MienCore

/// A model pack cannot be used. Branch on ``code``. Show ``reason``, which contains the remedy, to
/// an operator.
public struct PackError: CodedError {
    /// A stable code: logged, counted, documented, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        /// No pack with that name, or no pack at all, is installed.
        case notInstalled = "pack.not-installed"
        /// The folder contains no manifest, or a malformed one.
        case badManifest = "pack.bad-manifest"
        /// A file of the pack is missing or does not match the manifest.
        case damaged = "pack.damaged"
        /// A pack with that name but different contents is already installed.
        case conflict = "pack.conflict"
        /// The pack to install was not found: neither a folder nor a file exists at the path.
        case notFound = "pack.not-found"
        /// The pack could not be fetched or copied.
        case unavailable = "pack.unavailable"
        /// The connection could be tampered with, and no hash of the pack is known.
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
