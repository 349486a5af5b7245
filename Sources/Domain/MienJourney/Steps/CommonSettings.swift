import MienCore

/// The settings for a step's failure.
struct FailureSettings: Sendable {
    enum Behavior: String, CaseIterable, Sendable { case branch, abort }

    let behavior: Behavior
    let errorVariable: String?

    static let settings = [
        Setting(
            "failure_behavior", .choice(Behavior.allCases.map(\.rawValue)), default: "branch",
            "After a failure: continue with the outcome `failure`, or end the journey."),
        Setting("error_output_variable", .variable, "Set after a failure: `{code, step}`."),
    ]

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        behavior = try reader.choice("failure_behavior", default: .branch)
        errorVariable = try reader.variable("error_output_variable")
    }
}

/// The settings of every step that asks the client.
struct ClientSettings: Sendable {
    enum CancelBehavior: String, CaseIterable, Sendable { case abort, branch = "cancel_branch" }

    struct Branch: Sendable {
        let id, label: String
        let schema: InputSchema
    }

    let branches: [Branch]
    let branchVariable: String?
    let cancelBehavior: CancelBehavior

    static let cancelSettings = [
        Setting(
            "cancel_behavior", .choice(CancelBehavior.allCases.map(\.rawValue)), default: "abort",
            "When the client cancels: end the journey, or continue with the outcome `cancel`.")
    ]

    static let settings =
        cancelSettings + [
            Setting(
                "custom_branches", .customBranches,
                "Additional options for the client: `[{id, label, schema}]`. Each `id` is an outcome."
            ),
            Setting(
                "branch_output_variable", .variable,
                "Set to the data the client sends with a custom branch."),
        ]

    static let branchKeys = ["id", "label", "schema"]
    static let maxBranches = 20

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        try self.init(
            branches: Self.branches(reader),
            branchVariable: reader.variable("branch_output_variable"), reader)
    }

    /// Creates settings without custom branches.
    init(cancelOnly reader: SettingReader) throws(JourneyDefinitionError) {
        try self.init(branches: [], branchVariable: nil, reader)
    }

    private init(branches: [Branch], branchVariable: String?, _ reader: SettingReader)
        throws(JourneyDefinitionError)
    {
        (self.branches, self.branchVariable) = (branches, branchVariable)
        cancelBehavior = try reader.choice("cancel_behavior", default: .abort)
    }

    private static func branches(_ reader: SettingReader) throws(JourneyDefinitionError) -> [Branch]
    {
        var branches: [Branch] = []
        for (path, value) in try reader.array("custom_branches", maxCount: maxBranches) ?? [] {
            let reader = try SettingReader(value, path: path, known: branchKeys)
            let id = try branchID(reader, among: branches.map(\.id))
            let schema =
                try reader.value("schema").map { value throws(JourneyDefinitionError) in
                    try InputSchema(value, path: reader.path("schema"))
                } ?? .nothing
            branches.append(
                Branch(
                    id: id, label: try reader.string("label", maxLength: 200) ?? id, schema: schema)
            )
        }
        return branches
    }

    static func branchID(_ reader: SettingReader, among others: [String])
        throws(JourneyDefinitionError) -> String
    {
        let id = try reader.required("id", try reader.string("id", maxLength: 64))
        guard StepID.isName(id) else { throw reader.error("id", SettingReader.nameRule) }
        guard !Outcome.reservedNames.contains(id) else {
            throw reader.error("id", "“\(id)” is reserved; choose another ID")
        }
        guard !others.contains(id) else { throw reader.error("id", "“\(id)” appears twice") }
        return id
    }
}

/// The user whose data or authenticators a step changes, never a user who was only named.
struct ActingUser: Sendable {
    enum State: String, CaseIterable, Sendable { case authenticated, established, identifier }

    let state: State
    let identifier: JourneyExpression?

    static let settings = [
        Setting(
            "user_auth_state", .choice(State.allCases.map(\.rawValue)), default: "authenticated",
            "The user to act on: the signed-in user; the user whose identity an earlier step established (or who signed in); the same user, named by `user_identifier`."
        ),
        Setting(
            "user_identifier", .expression,
            "With `user_auth_state` `identifier`: the user who must be the established user."),
    ]

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        identifier = try reader.expression("user_identifier")
        state = try reader.choice(
            "user_auth_state", default: identifier == nil ? .authenticated : .identifier)
        if state == .identifier, identifier == nil {
            throw reader.error(
                "user_identifier", "required with user_auth_state “identifier”")
        }
        if state != .identifier, identifier != nil {
            throw reader.error(
                "user_identifier",
                "allowed only with user_auth_state “identifier”, not “\(state.rawValue)”")
        }
    }

    var needed: JourneyUser.Level { state == .authenticated ? .authenticated : .established }
    var reads: [StepFacts.Read] { identifier.map { [StepFacts.Read("user_identifier", $0)] } ?? [] }
}

/// The user that a step authenticates: named by an expression, or else the run's user.
struct CheckedUser: Sendable {
    let identifier: JourneyExpression?
    let name: String

    static func settings(_ name: String = "user_identifier") -> [Setting] {
        [
            Setting(
                name, .expression,
                "The user to authenticate: a user name, an email address or an external ID. If omitted, the user the journey knows."
            )
        ]
    }

    init(_ reader: SettingReader, _ name: String = "user_identifier") throws(JourneyDefinitionError)
    {
        self.name = name
        identifier = try reader.expression(name)
    }

    var needed: JourneyUser.Level? { identifier == nil ? .identified : nil }
    var reads: [StepFacts.Read] { identifier.map { [StepFacts.Read(name, $0)] } ?? [] }
}
