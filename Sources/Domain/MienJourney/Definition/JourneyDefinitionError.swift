/// An invalid definition: the path, the problem, and the allowed values.
public struct JourneyDefinitionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A path into the document, such as `steps.form.config.branches[0].id`; empty for the whole
    /// document.
    public let path: String
    public let reason: String

    public init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }

    public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}
