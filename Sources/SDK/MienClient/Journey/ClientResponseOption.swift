internal import MienAPI
public import MienCore

/// How a client answers a step: `.clientInput`, `.fail`, … or a branch of the step by its id.
public enum ClientResponseOptionType: Sendable, Hashable {
    /// What was asked for.
    case clientInput
    /// The person does not want to.
    case cancel
    /// It did not work on this device.
    case fail
    /// Again, please: a code.
    case resend
    /// A branch that this step has: `custom("password")`.
    case custom(String)

    /// Its id on the wire.
    public var type: String {
        switch self {
        case .clientInput: "client_input"
        case .cancel: "cancel"
        case .fail: "fail"
        case .resend: "resend"
        case .custom(let id): id
        }
    }

    /// By id, in any spelling that is in use; anything else is a branch.
    public init(_ id: String) {
        switch id {
        case "client_input", "clientInput": self = .clientInput
        case "cancel": self = .cancel
        case "fail", "failure", "action_failure": self = .fail
        case "resend": self = .resend
        default: self = .custom(id)
        }
    }
}

extension ClientResponseOptionType: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self.init(value) }
}

/// One way to answer, as the step offers it.
public struct ClientResponseOption: Sendable, Hashable {
    public let id: ClientResponseOptionType
    /// For a button.
    public let label: String
    /// What the data must be: a JSON Schema; `nil` for none.
    public let schema: JSONValue?

    init(_ id: String, _ wire: ClientOptionWire) {
        self.id = wire.type == "custom" ? .custom(id) : ClientResponseOptionType(id)
        (label, schema) = (wire.label, wire.schema)
    }

    /// The names of the data's fields: `username`, `password`.
    public var fieldNames: [String] { schema?["properties"]?.objectValue?.keys.sorted() ?? [] }
}
