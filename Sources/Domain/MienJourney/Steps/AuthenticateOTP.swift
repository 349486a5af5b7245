import MienAPI
public import MienCore

/// Asks for the current code of the user's OTP token. Success signs the user in.
///
/// Looks nothing up before the client has responded, so users, strangers, and users without an OTP
/// token see the same prompt.
struct AuthenticateOTP: JourneyStep {
    static let type = StepType.authenticateOTP
    static let wireName: JourneyStepName? = .otpAuthentication
    static let effects: [any SimulatedEffect.Type] = [AuthenticateOTPEffect.self]
    static let prompts: [any PromptState.Type] = [OTPPrompt.self]
    static let authenticator: AuthenticatorType? = .otp

    static let settings =
        CheckedUser.settings() + [
            Setting(
                "max_attempts", .integer(1...10), default: 3,
                "Wrong codes until the step fails. The lock gate also counts them, across all journeys."
            )
        ] + FailureSettings.settings + ClientSettings.settings

    let user: CheckedUser
    let maxAttempts: Int
    let failure: FailureSettings?
    let client: ClientSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        user = try CheckedUser(reader)
        maxAttempts = try reader.integer("max_attempts", 1...10, default: 3)
        failure = try FailureSettings(reader)
        client = try ClientSettings(reader)
    }

    var facts: StepFacts {
        var facts = StepFacts.signingIn(.other, .restoring)
        facts.reads = user.reads
        facts.needsUser = user.needed
        facts.add(failure, client)
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        _ = try run.reference(user)
        return ask(attemptsLeft: maxAttempts, error: nil)
    }

    func options(_ asked: Asked) -> [ClientOption] { [OTPPasscode.option] }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        guard let prompt = asked.state as? OTPPrompt, let passcode = OTPPasscode.of(input) else {
            throw .invalidState
        }
        do throws(StepFault) {
            let reference = try run.reference(user)
            return .perform(
                AuthenticateOTPEffect(user: reference, passcode: passcode),
                .init(attemptsLeft: prompt.attemptsLeft - 1, expected: reference.expected))
        } catch { return .fail(error.code) }
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch (answer, pending.state) {
        case (.given(let proof as Authentication), _):
            try run.signIn(proof)
            return .leave(.success)
        case (.refused(let code), let check as AuthenticateOTPEffect.Pending)
        where code != .unavailable && check.attemptsLeft > 0:
            return ask(attemptsLeft: check.attemptsLeft, error: .wrongCode)
        default: return .fail(run.reported(answer.refusal, user))
        }
    }

    private func ask(attemptsLeft: Int, error: StepErrorCode?) -> Move {
        var data: [String: JSONValue] = ["attempts_left": .number(Double(attemptsLeft))]
        if let error { data["error"] = ["code": .string(error.rawValue)] }
        return .ask(.object(data), Asked(OTPPrompt(attemptsLeft: attemptsLeft)))
    }
}

extension StepType {
    public static let authenticateOTP = StepType(declared: "authenticate_otp")
}

/// A prompt for a code of the user's OTP token.
struct OTPPrompt: PromptState {
    static let name = "otp"
    let attemptsLeft: Int
}

/// Checks a code of the user's OTP token.
public struct AuthenticateOTPEffect: StepEffect {
    public let user: UserReference
    public let passcode: Sensitive<String>

    public var impact: AuthenticatorImpact { .verifies(.otp) }

    public typealias Answer = Authentication

    public struct Pending: PendingState {
        public static let name = "checkingOTP"
        let attemptsLeft: Int
        let expected: UserID?

        public func accepts(_ answer: Authentication) -> Bool { answer.concerns(expected) }
    }
}

extension AuthenticateOTPEffect: SimulatedEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply {
        let code = world.tokenCode
        return world.authenticate(user, .otp, amr: "otp") { user in
            user.hasToken && passcode.use { $0 == code }
        }
    }
}
