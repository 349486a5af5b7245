/// How a step ends, and so which way the journey goes on. A step's `on` maps outcomes to steps.
public struct Outcome: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let name: String

    init(_ name: String) { self.name = name }

    public static let success = Outcome("success"), failure = Outcome("failure"),
        cancel = Outcome("cancel")
    /// Of a condition.
    public static let isTrue = Outcome("true"), isFalse = Outcome("false")
    /// Of a loop.
    public static let body = Outcome("body"), done = Outcome("done")
    /// Of a recovery whose hold is not over.
    public static let held = Outcome("held")
    /// Of an identity verification.
    public static let allow = Outcome("allow"), challenge = Outcome("challenge"),
        deny = Outcome("deny")
    /// A branch of a login form, or a custom branch.
    static func branch(_ id: String) -> Outcome { Outcome(id) }

    /// Other spellings of outcomes that definitions may use.
    static let aliases: [String: Outcome] = ["next": .success]

    /// What a branch cannot be called: names of outcomes, and of what clients can answer.
    static let reservedNames: Set<String> = [
        "success", "next", "failure", "cancel", "true", "false", "body", "done", "allow",
        "challenge", "deny", "client_input", "clientInput", "fail",
        "action_failure", "resend", "custom",
    ]

    public var description: String { name }

    public static func < (a: Self, b: Self) -> Bool { a.name < b.name }
}
