import MienAPI
import MienCore

/// Asks for the user and the sign-in method. Each branch is an option and an outcome.
struct LoginForm: JourneyStep {
    static let wireName: JourneyStepName? = .loginForm

    struct Branch: Sendable {
        let id, label: String
        let kind: Kind
        var schema: InputSchema
    }

    enum Kind: String, Sendable, CaseIterable {
        case password, face, passkey, emailCode = "email_code", nativeBiometrics =
            "native_biometrics", otp, custom

        var label: String {
            switch self {
            case .password: "Password"
            case .face: "Face"
            case .passkey: "Passkey"
            case .emailCode: "Code by email"
            case .nativeBiometrics: "This device"
            case .otp: "Code from a token"
            case .custom: "Other"
            }
        }

        /// The input schema for a branch without a schema.
        var schema: InputSchema {
            switch self {
            case .password:
                InputSchema(fields: [
                    .text("username", title: "User name", format: .username, maxLength: 254),
                    .text("password", title: "Password", format: .password, maxLength: 1024),
                ])
            case .face, .emailCode, .nativeBiometrics, .otp:
                InputSchema(fields: [
                    .text(
                        "user_identifier", title: "User name or email address", format: .username,
                        maxLength: 254)
                ])
            case .passkey, .custom: .nothing
            }
        }
    }

    static let settings =
        [
            Setting("title", .template, "Shown above the form."),
            Setting(
                "branches", .loginBranches, required: true,
                "The sign-in options: `[{id, label, kind, schema}]`. Each `id` is an outcome."),
            Setting(
                "output_variable", .variable,
                "Set to the data the client sends with the chosen branch, without sensitive fields."
            ),
        ] + ClientSettings.cancelSettings

    static let branchKeys = ["id", "label", "kind", "schema"]

    let title: ExpressionTemplate?
    private(set) var branches: [Branch]
    let outputVariable: String?
    let client: ClientSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        title = try reader.template("title", maxLength: 500)
        outputVariable = try reader.variable("output_variable")
        client = try ClientSettings(cancelOnly: reader)
        branches = try Self.branches(reader)
    }

    private static func branches(_ reader: SettingReader) throws(JourneyDefinitionError) -> [Branch]
    {
        var branches: [Branch] = []
        for (path, value) in try reader.array("branches", maxCount: ClientSettings.maxBranches)
            ?? []
        {
            let reader = try SettingReader(value, path: path, known: branchKeys)
            let id = try ClientSettings.branchID(reader, among: branches.map(\.id))
            // A branch's ID determines its kind unless the branch sets one.
            let kind = try reader.choice("kind", default: Kind(rawValue: id) ?? .custom)
            let schema =
                try reader.value("schema").map { value throws(JourneyDefinitionError) in
                    try InputSchema(value, path: reader.path("schema"))
                } ?? kind.schema
            branches.append(
                Branch(
                    id: id, label: try reader.string("label", maxLength: 200) ?? kind.label,
                    kind: kind, schema: schema))
        }
        guard !branches.isEmpty else {
            throw reader.error("branches", "a form needs at least one branch")
        }
        return branches
    }

    mutating func markNew(
        passwords isPassword: (_ name: String) -> Bool, names isName: (_ name: String) -> Bool
    ) {
        for index in branches.indices {
            branches[index].schema.markNew(passwords: isPassword, names: isName)
        }
    }

    var facts: StepFacts {
        var facts = StepFacts()
        facts.reads = (title?.expressions ?? []).map { StepFacts.Read("title", $0) }
        for branch in branches {
            var outcome = StepFacts.OutcomeFacts(.branch(branch.id))
            outcome.assign(outputVariable, branch.schema)
            facts.outcomes.append(outcome)
        }
        facts.add(nil, client)
        return facts
    }

    func problems(within limits: JourneyDefinition.Limits) -> [SettingProblem] {
        guard branches.contains(where: { $0.kind == .face }),
            !branches.contains(where: { $0.kind != .face })
        else { return [] }
        return [
            SettingProblem(
                .error, .faceWithoutAlternative, "branches",
                "users who cannot or will not use their face are locked out: offer another branch, such as a password"
            )
        ]
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        var data: [String: JSONValue] = [:]
        if let title { data["title"] = .string(try run.text(title)) }
        data["branches"] = .array(
            branches.map {
                [
                    "id": .string($0.id), "label": .string($0.label),
                    "kind": .string($0.kind.rawValue), "schema": $0.schema.json,
                ]
            })
        return .ask(.object(data), .input)
    }

    func options(_ asked: Asked) -> [ClientOption] {
        branches.map { ClientOption(branch: $0.id, label: $0.label, schema: $0.schema) }
    }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        run.keep(input, in: outputVariable)
        return .leave(.branch(option.id))
    }
}
