import MienCore

/// What happens when a step fails.
struct FailureSettings: Sendable {
    enum Behavior: String, CaseIterable, Sendable { case branch, abort }

    let behavior: Behavior
    let errorVariable: String?

    static let settings = [
        Setting(
            "failure_behavior", .choice(Behavior.allCases.map(\.rawValue)), default: "branch",
            "After a failure: go on with the outcome `failure`, or end the journey."),
        Setting("error_output_variable", .variable, "Set after a failure: `{code, step}`."),
    ]

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        behavior = try reader.choice("failure_behavior", default: .branch)
        errorVariable = try reader.variable("error_output_variable")
    }
}

/// What every step that asks the client has.
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
            "When the client cancels: end the journey, or go on with the outcome `cancel`.")
    ]

    static let settings =
        cancelSettings + [
            Setting(
                "custom_branches", .customBranches,
                "Further ways for the client to answer: `[{id, label, schema}]`. Each `id` is an outcome."
            ),
            Setting(
                "branch_output_variable", .variable,
                "Set to what the client sends with a custom branch."),
        ]

    static let branchKeys = ["id", "label", "schema"]
    static let maxBranches = 20

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        try self.init(
            branches: Self.branches(reader),
            branchVariable: reader.variable("branch_output_variable"), reader)
    }

    /// Without custom branches.
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
        for (place, value) in try reader.array("custom_branches", maxCount: maxBranches) ?? [] {
            let reader = try SettingReader(value, place: place, known: branchKeys)
            let id = try branchID(reader, among: branches.map(\.id))
            let schema =
                try reader.value("schema").map { value throws(JourneyDefinitionError) in
                    try InputSchema(value, place: reader.path("schema"))
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
            throw reader.error("id", "“\(id)” has a meaning of its own; choose another")
        }
        guard !others.contains(id) else { throw reader.error("id", "“\(id)” comes twice") }
        return id
    }
}

/// Whose data or authenticators a step changes: never those of somebody who was only named.
struct ActingUser: Sendable {
    enum State: String, CaseIterable, Sendable { case authenticated, established, identifier }

    let state: State
    let identifier: JourneyExpression?

    static let settings = [
        Setting(
            "user_auth_state", .choice(State.allCases.map(\.rawValue)), default: "authenticated",
            "Who: the user who has signed in; the one whose identity an earlier step established (or who signed in); the same, named by `user_identifier`."
        ),
        Setting(
            "user_identifier", .expression,
            "With `user_auth_state` `identifier`: whom the established user has to be."),
    ]

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        identifier = try reader.expression("user_identifier")
        state = try reader.choice(
            "user_auth_state", default: identifier == nil ? .authenticated : .identifier)
        if state == .identifier, identifier == nil {
            throw reader.error(
                "user_identifier", "it is required with user_auth_state “identifier”")
        }
        if state != .identifier, identifier != nil {
            throw reader.error(
                "user_identifier",
                "it goes with user_auth_state “identifier”, not “\(state.rawValue)”")
        }
    }

    var needed: JourneyUser.Level { state == .authenticated ? .authenticated : .established }
    var reads: [StepFacts.Read] { identifier.map { [StepFacts.Read("user_identifier", $0)] } ?? [] }
}

/// Whom a step authenticates: whoever an expression names, or the run's user.
struct CheckedUser: Sendable {
    let identifier: JourneyExpression?
    let name: String

    static func settings(_ name: String = "user_identifier") -> [Setting] {
        [
            Setting(
                name, .expression,
                "Whom to authenticate: a user name, an e-mail address or an external id. When missing, the user the journey knows."
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
