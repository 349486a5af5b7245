/// An error with a stable code for programs and a sentence for people.
///
/// Two errors are equal if their codes are, so that tests and callers can compare with an expected
/// one.
public protocol CodedError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Stable codes: logged, counted, documented, and never reused for another meaning.
    associatedtype Code: RawRepresentable<String>, Sendable, Equatable

    var code: Code { get }
    /// A sentence that says what was wrong, where, and what is allowed. Contains no secret and no
    /// personal data.
    var reason: String { get }
}

extension CodedError {
    public var description: String { "\(code.rawValue): \(reason)" }

    public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
}
