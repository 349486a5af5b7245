import MienAPI
public import MienCore

/// Sends a code to the user's email address and asks for it. Success signs the user in.
///
/// Sends nothing for an unknown user, and shows the client the same prompts as for a known one.
struct EmailOTPAuthentication: JourneyStep {
    static let wireName: JourneyStepName? = .emailOTPAuthentication
    static let authenticator: AuthenticatorType? = .emailCode

    static let settings =
        CheckedUser.settings() + [
            Setting(
                "code_length", .integer(4...10), default: 6, "The number of digits of the code."),
            Setting(
                "lifetime_seconds", .integer(60...3600), default: 300,
                "How long a code is valid."),
            Setting(
                "max_attempts", .integer(1...10), default: 5, "Wrong codes until the step fails."),
            Setting(
                "resend_limit", .integer(0...10), default: 3,
                "How often the client can request another code."),
        ] + FailureSettings.settings + ClientSettings.settings

    let user: CheckedUser
    let codeLength, lifetimeSeconds, maxAttempts, resendLimit: Int
    let failure: FailureSettings?
    let client: ClientSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        user = try CheckedUser(reader)
        codeLength = try reader.integer("code_length", 4...10, default: 6)
        lifetimeSeconds = try reader.integer("lifetime_seconds", 60...3600, default: 300)
        maxAttempts = try reader.integer("max_attempts", 1...10, default: 5)
        resendLimit = try reader.integer("resend_limit", 0...10, default: 3)
        failure = try FailureSettings(reader)
        client = try ClientSettings(reader)
    }

    var facts: StepFacts {
        var facts = StepFacts.signingIn(.other, .weak)
        facts.verifiesAddress = true
        facts.reads = user.reads
        facts.needsUser = user.needed
        facts.add(failure, client)
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        try send(attemptsLeft: maxAttempts, resendsLeft: resendLimit, run)
    }

    private func send(attemptsLeft: Int, resendsLeft: Int, _ run: StepRun) throws(StepFault) -> Move
    {
        .perform(
            .sendEmailCode(
                SendEmailCodeEffect(
                    user: try run.reference(user), length: codeLength,
                    lifetimeSeconds: lifetimeSeconds)),
            .sendingCode(attemptsLeft: attemptsLeft, resendsLeft: resendsLeft))
    }

    func options(_ asked: Asked) -> [ClientOption] {
        guard case .code(let progress) = asked else { return [] }
        let schema = InputSchema(fields: [
            .text("passcode", title: "Code", format: .code, maxLength: 20)
        ])
        return [ClientOption(.clientInput, label: "Continue", schema: schema)]
            + (progress.resendsLeft > 0 ? [ClientOption(.resend, label: "Send again")] : [])
    }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        guard case .code(var progress) = asked else { throw .invalidState }
        do throws(StepFault) {
            if option.kind == .resend {
                return try send(
                    attemptsLeft: progress.attemptsLeft, resendsLeft: progress.resendsLeft - 1, run)
            }
            // Checked here rather than in the code store, so that a code that was never sent
            // expires as well.
            guard run.now < progress.expiresAt else {
                return progress.resendsLeft > 0 ? ask(progress, error: .expired) : .fail(.expired)
            }
            guard let passcode = input.plain["passcode"]?.stringValue else {
                throw StepFault(.secretMissing)
            }
            progress.attemptsLeft -= 1
            return .perform(
                .checkEmailCode(
                    CheckEmailCodeEffect(
                        code: progress.code, user: try run.reference(user),
                        passcode: Sensitive(passcode))),
                .checkingCode(progress))
        } catch { return .fail(error.code) }
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch (answer, pending) {
        case (.codeSent(let code), .sendingCode(let attemptsLeft, let resendsLeft)):
            let expiresAt = run.now + .seconds(lifetimeSeconds)
            return ask(
                CodeProgress(
                    code: code, attemptsLeft: attemptsLeft, resendsLeft: resendsLeft,
                    expiresAt: expiresAt),
                error: nil)
        case (.proof(let proof), _):
            try run.signIn(proof)
            return .leave(.success)
        case (.refused(let code), .checkingCode(let progress))
        where code != .unavailable && progress.attemptsLeft > 0:
            return ask(progress, error: .wrongCode)
        default: return .fail(run.reported(answer.refusal, user))
        }
    }

    private func ask(_ progress: CodeProgress, error: StepErrorCode?) -> Move {
        var data: [String: JSONValue] = [
            "code_length": .number(Double(codeLength)),
            "attempts_left": .number(Double(progress.attemptsLeft)),
            "resends_left": .number(Double(progress.resendsLeft)),
        ]
        if let error { data["error"] = ["code": .string(error.rawValue)] }
        return .ask(.object(data), .code(progress))
    }
}

/// A mailed code that the client is asked for.
public struct CodeProgress: Sendable, Hashable, Codable {
    let code: CodeID
    var attemptsLeft, resendsLeft: Int
    let expiresAt: Instant
}

/// Sends a code by email. The answer is the same for an unknown user: nothing is sent then, and no
/// passcode is accepted.
public struct SendEmailCodeEffect: Sendable, Hashable {
    public let user: UserReference
    public let length, lifetimeSeconds: Int
}

/// Checks a mailed code.
public struct CheckEmailCodeEffect: Sendable, Hashable {
    public let code: CodeID
    public let user: UserReference
    public let passcode: Sensitive<String>
}

extension SendEmailCodeEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> EffectAnswer {
        let id = world.issue(CodeID.self), known = world.user(user)
        world.codes[id] = SimulatedWorld.SentCode(
            user: known.flatMap { getsCode($0, in: world) ? $0.id : nil },
            expiresAt: now + .seconds(lifetimeSeconds))
        return .codeSent(id)
    }

    /// Whether a sign-up receives its code: not if its name or address belongs to another user.
    private func getsCode(_ user: SimulatedWorld.User, in world: SimulatedWorld) -> Bool {
        guard let claimed = user.claimedEmail else { return user.email != nil }
        return !user.isDecoy && world.user(claimed) == nil
    }
}

extension CheckEmailCodeEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> EffectAnswer {
        guard let sent = world.codes[code] else { return .refused(.wrongCode) }
        guard now < sent.expiresAt else { return .refused(.expired) }
        let right = world.passcode
        let reply = world.authenticate(user, .emailCode, amr: "otp") {
            $0.id == sent.user && passcode.use { $0 == right }
        }
        if case .proof(let proof) = reply {
            world.codes[code] = nil
            if let index = world.index(of: proof.user),
                let claimed = world.users[index].claimedEmail
            {
                world.users[index].names.append(claimed.lowercased())
                (world.users[index].email, world.users[index].claimedEmail) = (claimed, nil)
            }
        }
        return reply
    }
}
