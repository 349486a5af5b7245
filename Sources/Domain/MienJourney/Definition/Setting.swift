import MienCore

/// One setting of a step's `config`.
///
/// A step's settings table is the only source for the parser, the published schema, and the
/// reference page.
struct Setting: Sendable {
    enum Kind: Sendable {
        case expression
        /// An expression that may also read sensitive fields.
        case secret
        case template
        case text(maxLength: Int)
        case code
        case integer(ClosedRange<Int>)
        case flag
        case choice([String])
        /// The name of a variable that the step sets.
        case variable
        /// An object that maps names to expressions.
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
