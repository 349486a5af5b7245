/// An invalid definition: the path, the problem, and the allowed values.
public struct JourneyDefinitionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A path into the document, such as `steps.form.config.branches[0].id`; empty for the whole
    /// document.
    public let place: String
    public let reason: String

    public init(place: String, reason: String) { (self.place, self.reason) = (place, reason) }

    public var description: String { place.isEmpty ? reason : "\(place): \(reason)" }
}
