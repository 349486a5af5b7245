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
        /// A URL, or an address with a scheme of an app's own.
        case returnAddress
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

extension Setting {
    /// A value for a new step in an editor. Expressions read a form's field of the same name, which
    /// the linter reports until there is one.
    var example: JSONValue {
        if let defaultValue { return defaultValue }
        switch kind {
        case .expression: return name == "expression" ? "true" : .string("form.\(name)")
        case .secret: return .string("form.\(name)")
        case .template, .text: return "Text"
        case .code: return "1"
        case .integer(let range): return .number(Double(range.lowerBound))
        case .flag: return false
        case .choice(let words): return .string(words.first ?? "")
        case .variable: return "result"
        case .expressions: return ["name": "true"]
        case .customBranches, .loginBranches: return [["id": "password"]]
        case .consent: return ["text_version": "1"]
        case .liveness: return [:]
        case .url, .returnAddress: return "https://example.org/"
        }
    }
}
