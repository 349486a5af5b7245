internal import MienAPI
public import MienCore

/// The kind of answer to a step: `.clientInput`, `.fail`, …, or a branch of the step by its id.
public enum ClientResponseOptionType: Sendable, Hashable {
    /// The requested data.
    case clientInput
    /// The user declined.
    case cancel
    /// The step failed on this device.
    case fail
    /// Requests a new one-time code.
    case resend
    /// A branch of this step: `custom("password")`.
    case custom(String)

    /// The id on the wire.
    public var type: String {
        switch self {
        case .clientInput: ClientOptionType.clientInput.rawValue
        case .cancel: ClientOptionType.cancel.rawValue
        case .fail: ClientOptionType.fail.rawValue
        case .resend: ClientOptionType.resend.rawValue
        case .custom(let id): id
        }
    }

    /// Creates a kind from its id in any known spelling. Any other id is a branch.
    public init(_ id: String) {
        self =
            switch ClientOptionType(spelling: id) {
            case .clientInput: .clientInput
            case .cancel: .cancel
            case .fail: .fail
            case .resend: .resend
            case .custom, nil: .custom(id)
            }
    }
}

extension ClientResponseOptionType: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self.init(value) }
}

/// One way to answer a step.
public struct ClientResponseOption: Sendable, Hashable {
    public let id: ClientResponseOptionType
    /// The text for a button.
    public let label: String
    /// The JSON Schema of the data; `nil` if there is none.
    public let schema: JSONValue?

    init(_ id: String, _ wire: ClientOptionWire) {
        self.id = wire.type == .known(.custom) ? .custom(id) : ClientResponseOptionType(id)
        (label, schema) = (wire.label, wire.schema)
    }

    /// The names of the data's fields: `username`, `password`.
    public var fieldNames: [String] { schema?["properties"]?.objectValue?.keys.sorted() ?? [] }
}
