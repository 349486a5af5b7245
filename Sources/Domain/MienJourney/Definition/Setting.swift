import MienCore

/// One setting of a step's `config`.
///
/// The table of a step's settings is what the parser accepts, what the published schema says and
/// what the reference page lists; there is no other.
struct Setting: Sendable {
    enum Kind: Sendable {
        case expression
        /// An expression that may also read what clients sent in sensitive fields.
        case secret
        case template
        case text(maxLength: Int)
        case code
        case integer(ClosedRange<Int>)
        case flag
        case choice([String])
        /// The name of a variable that the step sets.
        case variable
        /// Names to expressions.
        case expressions(maxCount: Int)
        case customBranches
        case loginBranches
        case consent
        case liveness
        case url
    }

    let name: String
    let kind: Kind
    let isRequired: Bool
    let defaultValue: JSONValue?
    let about: String

    init(
        _ name: String, _ kind: Kind, required: Bool = false,
        default defaultValue: JSONValue? = nil, _ about: String
    ) {
        (self.name, self.kind, self.isRequired, self.defaultValue, self.about) = (
            name, kind, required, defaultValue, about
        )
    }
}
