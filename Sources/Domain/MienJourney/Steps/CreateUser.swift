public import MienCore

/// Starts a sign-up: creates an account that becomes usable when the journey completes. From then
/// on the journey acts for the account, although nobody has signed in.
///
/// A taken name or address makes no difference here: the journey proceeds in the same way and does
/// not complete. The owner is notified by email.
struct CreateUser: JourneyStep {
    static let example: [String: JSONValue] = ["username": "form.username"]
    static let settings =
        [
            Setting(
                "external_id", .expression,
                "The user's ID in another system. At least one of external_id, username and email is required."
            ),
            Setting("username", .expression, "The user name."),
            Setting(
                "email", .expression,
                "The email address. It is attached to the account only after `email_otp_authentication` has verified it."
            ),
            Setting(
                "attributes", .expressions(maxCount: 50),
                "Additional data to store: names and expressions."),
            Setting("password", .secret, "The password: a sensitive field of the preceding form."),
        ] + FailureSettings.settings

    let externalID, username, email, password: JourneyExpression?
    let attributes: [String: JourneyExpression]
    let failure: FailureSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        externalID = try reader.expression("external_id")
        username = try reader.expression("username")
        email = try reader.expression("email")
        password = try reader.expression("password")
        attributes = try reader.expressions("attributes", maxCount: 50) ?? [:]
        failure = try FailureSettings(reader)
        guard externalID != nil || username != nil || email != nil else {
            throw JourneyDefinitionError(
                path: reader.path, reason: "external_id, username or email is required")
        }
    }

    var facts: StepFacts {
        var facts = StepFacts()
        facts.createsUser = true
        var success = StepFacts.OutcomeFacts(.success)
        success.user = .established
        facts.outcomes = [success]
        let named = [("external_id", externalID), ("username", username), ("email", email)]
        facts.reads =
            named.compactMap { name, expression in expression.map { StepFacts.Read(name, $0) } }
            + attributes.sorted { $0.key < $1.key }.map {
                StepFacts.Read("attributes.\($0.key)", $0.value)
            }
            + (password.map { [StepFacts.Read("password", $0, isSecret: true)] } ?? [])
        facts.add(failure, client)
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        // A run has at most one user.
        guard run.instance.user.map({ $0.level == .identified }) ?? true else {
            throw StepFault(.notAllowed)
        }
        let user = NewUser(
            externalID: try text(externalID, run), username: try text(username, run),
            email: try text(email, run),
            attributes: Sensitive(try run.values(attributes)),
            password: try password.map { expression throws(StepFault) in try run.secret(expression)
            })
        return .perform(.createUser(user), .creatingUser)
    }

    private func text(_ expression: JourneyExpression?, _ run: StepRun) throws(StepFault)
        -> Sensitive<String>?
    {
        try expression.map { expression throws(StepFault) in Sensitive(try run.text(expression)) }
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        guard case .userCreated(let user) = answer else { return .fail(answer.refusal) }
        try run.establish(user, isNew: true)
        return .leave(.success)
    }
}

/// An account that the run signs up.
public struct NewUser: Sendable, Hashable {
    public let externalID, username, email: Sensitive<String>?
    public let attributes: Sensitive<[String: JSONValue]>
    public let password: Sensitive<String>?
}

extension NewUser {
    func simulated(in world: inout SimulatedWorld) -> EffectAnswer {
        let names = [externalID, username].compactMap { name in
            name.map { $0.use { $0.lowercased() } }
        }
        // One of the server's password rules.
        if let password, password.use({ names.contains($0.lowercased()) }) {
            return .refused(.notAllowed)
        }
        let isTaken = world.users.contains { user in names.contains { user.names.contains($0) } }
        var id = world.issue(UserID.self)
        while world.index(of: id) != nil { id = world.issue(UserID.self) }
        world.users.append(
            SimulatedWorld.User(
                id: id, names: (isTaken ? [] : names) + [id.text.lowercased()],
                claimedEmail: email.map { $0.use { $0 } }, isDecoy: isTaken,
                password: password.map { $0.use { $0 } }))
        return .userCreated(id)
    }
}
