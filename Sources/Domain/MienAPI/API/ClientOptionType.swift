public import MienCore

/// The kind of a client's option. Mien sends these names and accepts every alias.
public enum ClientOptionType: String, WireWord {
    /// The requested data.
    case clientInput = "client_input"
    case cancel, fail, resend
    /// A branch of the step.
    case custom

    /// Creates a kind from any of its spellings; `nil` for the ID of a branch.
    public init?(spelling: String) {
        guard let type = Self.bySpelling[spelling] else { return nil }
        self = type
    }

    /// Alternative spellings.
    public var aliases: [String] {
        switch self {
        case .clientInput: ["clientInput"]
        case .fail: ["failure", "action_failure"]
        case .cancel, .resend, .custom: []
        }
    }

    private static let bySpelling = Dictionary(
        uniqueKeysWithValues: allCases.flatMap { type in
            ([type.rawValue] + type.aliases).map { ($0, type) }
        })
}
