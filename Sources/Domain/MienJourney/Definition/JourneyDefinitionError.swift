/// A definition that cannot be used: where, what is wrong, what is allowed.
public struct JourneyDefinitionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A path into the document: `steps.form.config.branches[0].id`; empty for the document as a
    /// whole.
    public let place: String
    public let reason: String

    public init(place: String, reason: String) { (self.place, self.reason) = (place, reason) }

    public var description: String { place.isEmpty ? reason : "\(place): \(reason)" }
}
