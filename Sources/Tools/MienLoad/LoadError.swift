/// The load could not be put on the server, or what it answered is not what was asked for.
public struct LoadError: Error, Sendable, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}
