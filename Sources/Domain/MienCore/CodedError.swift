/// An error with a stable word for programs and a sentence for people.
///
/// Two are equal when their codes are, so that a test, or a caller, can name the one it expects.
public protocol CodedError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Stable words: logged, counted, documented, and never reused for another meaning.
    associatedtype Code: RawRepresentable<String>, Sendable, Equatable

    var code: Code { get }
    /// What was wrong, where, and what is allowed. Holds no secret and nothing personal.
    var reason: String { get }
}

extension CodedError {
    public var description: String { "\(code.rawValue): \(reason)" }

    public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
}
