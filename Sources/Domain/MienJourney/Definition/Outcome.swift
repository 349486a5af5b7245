/// The result of a step, which selects the next step. A step's `on` maps outcomes to steps.
public struct Outcome: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let name: String

    init(_ name: String) { self.name = name }

    public static let success = Outcome("success"), failure = Outcome("failure"),
        cancel = Outcome("cancel")
    /// Outcomes of a condition.
    public static let isTrue = Outcome("true"), isFalse = Outcome("false")
    /// Outcomes of a loop.
    public static let body = Outcome("body"), done = Outcome("done")
    /// The outcome of a recovery whose hold period has not ended.
    public static let held = Outcome("held")
    /// Outcomes of an identity verification.
    public static let allow = Outcome("allow"), challenge = Outcome("challenge"),
        deny = Outcome("deny")
    /// Returns the outcome of a login form branch or a custom branch.
    static func branch(_ id: String) -> Outcome { Outcome(id) }

    /// Alternative spellings of outcomes that definitions may use.
    static let aliases: [String: Outcome] = ["next": .success]

    /// Names that a branch cannot have: outcomes and client options.
    static let reservedNames: Set<String> = [
        "success", "next", "failure", "cancel", "true", "false", "body", "done", "allow",
        "challenge", "deny", "client_input", "clientInput", "fail",
        "action_failure", "resend", "custom",
    ]

    public var description: String { name }

    public static func < (a: Self, b: Self) -> Bool { a.name < b.name }
}
