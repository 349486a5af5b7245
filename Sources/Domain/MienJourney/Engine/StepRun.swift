import MienCore

/// A run, as seen by its current step.
struct StepRun {
    var instance: JourneyInstance
    let definition: JourneyDefinition
    let now: Instant
    var step: StepID
    /// Whether the caller no longer waits. Asked before each step.
    let isInterrupted: () -> Bool

    init(
        instance: JourneyInstance, definition: JourneyDefinition, now: Instant,
        isInterrupted: @escaping () -> Bool = { false }
    ) {
        (self.instance, self.definition, self.now) = (instance, definition, now)
        self.isInterrupted = isInterrupted
        step = definition.start
    }

    // MARK: Variables

    /// The variables that expressions read.
    var scope: [String: JSONValue] {
        var scope = instance.variables
        var user: [String: JSONValue] = ["level": "none"]
        if let known = instance.user {
            user = [
                "id": .string(known.id.text), "level": .string(known.level.rawValue),
                "amr": .array(known.amr.map { .string($0) }),
            ]
        }
        scope["user"] = .object(user)
        scope["app"] = ["id": .string(instance.app.text)]
        scope["journey"] = [
            "id": .string(instance.journey.text), "version": .number(Double(instance.version)),
            "run": .string(instance.id.text),
        ]
        return scope
    }

    func value(_ expression: JourneyExpression) throws(StepFault) -> JSONValue {
        do { return try expression.value(in: scope) } catch { throw StepFault(.expressionFailed) }
    }

    func truth(_ expression: JourneyExpression) throws(StepFault) -> Bool {
        guard case .bool(let truth) = try value(expression) else {
            throw StepFault(.expressionFailed)
        }
        return truth
    }

    /// Evaluates to a string; a number is converted.
    func text(_ expression: JourneyExpression) throws(StepFault) -> String {
        try Self.text(try value(expression))
    }

    private static func text(_ value: JSONValue) throws(StepFault) -> String {
        switch value {
        case .string(let text): return text
        case .number(let number): return JSONText.number(number)
        case .null, .bool, .array, .object: throw StepFault(.expressionFailed)
        }
    }

    func text(_ template: ExpressionTemplate) throws(StepFault) -> String {
        do { return try template.text(in: scope) } catch { throw StepFault(.expressionFailed) }
    }

    func values(_ expressions: [String: JourneyExpression]) throws(StepFault) -> [String: JSONValue]
    {
        var values: [String: JSONValue] = [:]
        for (name, expression) in expressions { values[name] = try value(expression) }
        return values
    }

    /// Evaluates an expression that may read sensitive fields.
    func secret(_ expression: JourneyExpression) throws(StepFault) -> Sensitive<String> {
        var scope = scope
        for (path, secret) in instance.secrets {
            let parts = path.split(separator: ".").map(String.init)
            guard parts.count == 2, case .object(var members) = scope[parts[0]] ?? [:] else {
                continue
            }
            members[parts[1]] = secret.use { .string($0) }
            scope[parts[0]] = .object(members)
        }
        let value: JSONValue
        do { value = try expression.value(in: scope) } catch { throw StepFault(.secretMissing) }
        guard case .string(let text) = value else { throw StepFault(.secretMissing) }
        return Sensitive(text)
    }

    /// - Throws: `StepFault` if all variables together exceed the limit.
    mutating func set(_ variable: String, _ value: JSONValue) throws(StepFault) {
        instance.variables[variable] = value
        instance.secrets = instance.secrets.filter { !$0.key.hasPrefix(variable + ".") }
        guard
            ExpressionEvaluator.weight(.object(instance.variables))
                <= JourneyInstance.maxVariableBytes
        else {
            instance.variables[variable] = nil
            throw StepFault(.limitReached)
        }
    }

    /// Stores client input, with sensitive fields kept separately.
    ///
    /// No further limit is needed: a form's schema bounds its fields, and a definition has a
    /// limited number of forms.
    mutating func keep(_ input: ValidInput, in variable: String?) {
        guard let variable else { return }
        instance.variables[variable] = .object(input.plain)
        instance.secrets = instance.secrets.filter { !$0.key.hasPrefix(variable + ".") }
        for (field, secret) in input.sensitive { instance.secrets["\(variable).\(field)"] = secret }
    }

    // MARK: Captures

    /// The steps that can use the current step's selfie.
    var captureUse: CaptureUse { definition.captureUses[step] ?? CaptureUse() }

    /// Returns the user with whose face the current step's selfie will be compared, so that a
    /// failed or abandoned capture counts as a guess at that user's face.
    ///
    /// - Parameter identifier: The step's own setting. Without it, the user that the journey knows,
    ///   or else the one that the first comparison names, if the journey has the name by now.
    /// - Throws: ``StepFault`` if the step's own setting cannot be evaluated.
    func expectedFace(_ identifier: JourneyExpression?) throws(StepFault) -> UserReference? {
        if let identifier { return .identifier(Sensitive(try text(identifier))) }
        if let known = instance.user { return .id(known.id) }
        let names = captureUse.comparisons.lazy.compactMap {
            (definition.steps[$0]?.step as? AuthenticateFace)?.user.identifier
        }
        return names.first.flatMap { try? text($0) }.map { .identifier(Sensitive($0)) }
    }

    /// The consent that the current step's capture asks for: that of the first registration that no
    /// step has obtained consent for.
    var consentToAsk: CaptureConsent? {
        captureUse.unconsented.lazy.compactMap {
            (definition.steps[$0]?.step as? RegisterFace)?.consent
        }.first { consent in
            !instance.consents.contains {
                $0.user == instance.user?.id && $0.textVersion == consent.textVersion
            }
        }?.shown
    }

    /// Keeps a live capture until a step uses it.
    mutating func keep(_ capture: CaptureID, consentTextVersion: String?) {
        (instance.capture, instance.captureConsent) = (capture, consentTextVersion)
    }

    mutating func discardCapture() { (instance.capture, instance.captureConsent) = (nil, nil) }

    // MARK: Users

    /// Returns the user to authenticate.
    func reference(_ user: CheckedUser) throws(StepFault) -> UserReference {
        if let identifier = user.identifier { return .identifier(Sensitive(try text(identifier))) }
        guard let known = instance.user else { throw StepFault(.userMissing) }
        return .id(known.id)
    }

    /// Returns the user of an acting step, with the identifier if it still needs to be resolved.
    func actingUser(_ setting: ActingUser) throws(StepFault) -> (
        user: UserID, unresolved: Sensitive<String>?
    ) {
        guard let user = instance.user, user.level >= setting.needed else {
            throw StepFault(.userMissing)
        }
        guard let identifier = setting.identifier else { return (user.id, nil) }
        let text = try text(identifier)
        return (user.id, text == user.id.text ? nil : Sensitive(text))
    }

    /// Checks that the resolved identifier belongs to the acting user.
    func actingUser(_ setting: ActingUser, resolved found: UserID?) throws(StepFault) -> UserID {
        let user = try actingUser(setting).user
        guard found == user else { throw StepFault(.userMismatch) }
        return user
    }

    /// Records that the user has authenticated.
    mutating func signIn(_ proof: Authentication) throws(StepFault) {
        try accept(proof, as: .authenticated)
    }

    /// Records that the client acts for the user whom an authenticator has shown, without signing
    /// them in.
    mutating func establish(_ proof: Authentication) throws(StepFault) {
        try accept(proof, as: .established)
    }

    private mutating func accept(_ answer: Authentication, as level: JourneyUser.Level)
        throws(StepFault)
    {
        let (user, amr) = (answer.user, answer.amr)
        if let known = instance.user, known.level > .identified, known.id != user {
            throw StepFault(.invalidCredentials)
        }
        let known = instance.user?.id == user ? instance.user : nil
        var proof = known?.proof ?? JourneyUser.Proof(at: now)
        if let use = answer.use {
            // The account changed between two proofs, so the first proof no longer counts.
            guard proof.epoch == nil || proof.epoch == use.epoch else {
                throw StepFault(.invalidCredentials)
            }
            proof.epoch = use.epoch
            if !proof.authenticators.contains(use.authenticator) {
                proof.authenticators.append(use.authenticator)
            }
        }
        proof.methods.append(contentsOf: amr.filter { !proof.methods.contains($0) })
        let methods = known?.amr ?? []
        instance.user = JourneyUser(
            id: user, level: max(known?.level ?? level, level),
            amr: methods + amr.filter { !methods.contains($0) },
            proof: proof,
            isRecovered: known?.isRecovered ?? false)
    }

    /// Lets the run's proof rest on the new authenticator if it used the old one.
    mutating func replace(_ replacement: AuthenticatorReplacement) {
        guard
            let index = instance.user?.proof?.authenticators.firstIndex(of: replacement.old)
        else { return }
        instance.user?.proof?.authenticators[index] = replacement.new
    }

    /// Records that the user has consented to this version of a text.
    mutating func consent(_ user: UserID, _ textVersion: String) {
        instance.consents.insert(JourneyInstance.Consent(user: user, textVersion: textVersion))
    }

    /// Records that the signed-in user has regained access to the account.
    mutating func recover() { instance.user?.isRecovered = true }

    /// Records that the client acts for this user, as an earlier step found.
    ///
    /// - Parameter isNew: whether this run created the account.
    mutating func establish(_ user: UserID, isNew: Bool = false) throws(StepFault) {
        if let known = instance.user, known.level > .identified {
            guard known.id == user else { throw StepFault(.userMismatch) }
            return
        }
        var proof = JourneyUser.Proof(at: now)
        if isNew { (proof.isNewAccount, proof.epoch) = (true, 0) }
        instance.user = JourneyUser(id: user, level: .established, proof: proof)
    }

    /// Returns the error code to report. Only signed-in users learn the specific reason, and only
    /// about themselves.
    func reported(_ code: StepErrorCode, _ user: CheckedUser) -> StepErrorCode {
        let isOwner = user.identifier == nil && instance.user?.level == .authenticated
        return code == .unavailable || isOwner ? code : .invalidCredentials
    }
}
