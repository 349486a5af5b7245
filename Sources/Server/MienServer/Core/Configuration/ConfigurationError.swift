/// The problems that make a configuration unusable. Each line names a setting, its value, and what
/// is allowed.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    public let problems: [String]
    package init(_ problems: [String]) { self.problems = problems }
    public var description: String { problems.joined(separator: "\n") }
}
