/// All names that clients see, with their alternative spellings. Mien sends the canonical name and
/// accepts each alias. Each step's file declares its own names.
///
/// Sources: the two journey guides (`loginForm`, `registerNativeBiometrics`, …) and the constants
/// of the mobile and web SDKs.
public enum WireNames {
    /// The names sent in place of a step when a journey ends.
    public static let success = "success", rejection = "rejection"

    /// Alternative spellings by canonical name.
    static let steps = StepType.all.reduce(
        into: [success: ["action:success"], rejection: ["action:rejection"]]
    ) { names, step in
        if let name = step.wireName { names[name] = step.aliases }
    }

    static let options: [ClientOption.Kind: [String]] = [
        .clientInput: ["clientInput"], .cancel: [], .fail: ["failure", "action_failure"],
        .resend: [], .custom: [],
    ]

    private static let stepsByAlias = Dictionary(
        uniqueKeysWithValues: steps.flatMap { name, aliases in ([name] + aliases).map { ($0, name) }
        })
    private static let optionsByAlias = Dictionary(
        uniqueKeysWithValues: options.flatMap { kind, aliases in
            ([kind.rawValue] + aliases).map { ($0, kind) }
        })

    /// Returns the canonical spelling of a step's name; `nil` if the name is unknown.
    public static func step(_ name: String) -> String? { stepsByAlias[name] }

    /// Returns the kind of an option's ID; `nil` for a branch.
    static func option(_ id: String) -> ClientOption.Kind? { optionsByAlias[id] }

    /// The keys under which a `custom` response names its branch.
    static let branchKeys = ["branch_id", "branchId"]
}
