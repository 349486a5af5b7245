import MienAPI
public import MienCore

/// Asks for the current code of the user's OTP token. Success signs the user in.
///
/// Looks nothing up before the client has responded, so users, strangers, and users without an OTP
/// token see the same prompt.
struct AuthenticateOTP: JourneyStep {
    static let wireName: JourneyStepName? = .otpAuthentication
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
        guard case .otp(let attemptsLeft) = asked, let passcode = OTPPasscode.of(input) else {
            throw .invalidState
        }
        do throws(StepFault) {
            let reference = try run.reference(user)
            return .perform(
                .authenticateOTP(AuthenticateOTPEffect(user: reference, passcode: passcode)),
                .checkingOTP(expected: reference.expected, attemptsLeft: attemptsLeft - 1))
        } catch { return .fail(error.code) }
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch (answer, pending) {
        case (.proof(let proof), _):
            try run.signIn(proof)
            return .leave(.success)
        case (.refused(let code), .checkingOTP(_, let attemptsLeft))
        where code != .unavailable && attemptsLeft > 0:
            return ask(attemptsLeft: attemptsLeft, error: .wrongCode)
        default: return .fail(run.reported(answer.refusal, user))
        }
    }

    private func ask(attemptsLeft: Int, error: StepErrorCode?) -> Move {
        var data: [String: JSONValue] = ["attempts_left": .number(Double(attemptsLeft))]
        if let error { data["error"] = ["code": .string(error.rawValue)] }
        return .ask(.object(data), .otp(attemptsLeft: attemptsLeft))
    }
}

/// Checks a code of the user's OTP token.
public struct AuthenticateOTPEffect: Sendable, Hashable {
    public let user: UserReference
    public let passcode: Sensitive<String>
}

extension AuthenticateOTPEffect {
    func simulated(in world: inout SimulatedWorld) -> EffectAnswer {
        let code = world.tokenCode
        return world.authenticate(user, .otp, amr: "otp") { user in
            user.hasToken && passcode.use { $0 == code }
        }
    }
}
