/// An error of SCIM (RFC 7644 §3.12). Repeats nothing of the request but names of attributes.
public struct SCIMError: Error, Sendable, Hashable {
    /// The words that RFC 7644 has for errors of the status 400 and 409.
    public enum Kind: String, Sendable, Hashable {
        case invalidFilter, tooMany, uniqueness, mutability, invalidSyntax, invalidPath, noTarget,
            invalidValue, sensitive
    }

    public let status: Int
    public let kind: Kind?
    public let detail: String

    public init(_ status: Int, _ kind: Kind? = nil, _ detail: String) {
        (self.status, self.kind, self.detail) = (status, kind, detail)
    }

    static func value(_ detail: String) -> SCIMError { SCIMError(400, .invalidValue, detail) }
}
