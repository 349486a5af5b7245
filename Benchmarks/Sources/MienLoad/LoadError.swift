/// A failure to put load on the server, or an unexpected response.
public struct LoadError: Error, Sendable, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}
