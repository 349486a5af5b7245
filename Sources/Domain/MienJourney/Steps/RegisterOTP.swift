public import MienAPI
public import MienCore

/// Sends the client a registration code for a device, then asks for the first code from the
/// device's new OTP token.
///
/// The device redeems the registration code itself. The secret goes directly to the device,
/// encrypted to its key, and does not pass through the journey.
struct RegisterOTP: JourneyStep {
    static let wireName: JourneyStepName? = .otpRegistration

    static let settings =
        ActingUser.settings + [
            Setting(
                "kind", .choice(OTPKind.allCases.map(\.rawValue)), default: "totp",
                "Time-based or counter-based codes, or those of a card (CAP)."),
            Setting(
                "digits", .integer(OTPProfile.digitCounts),
                "The number of digits of a code: 6 by default, and with `cap` at least 8, the default."
            ),
            Setting(
                "max_attempts", .integer(1...10), default: 5, "Wrong codes until the step fails."),
        ] + FailureSettings.settings + ClientSettings.settings

    let user: ActingUser
    let profile: OTPProfile
    let maxAttempts: Int
    let failure: FailureSettings?
    let client: ClientSettings?
    let clientCanFail = true

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        user = try ActingUser(reader)
        let kind = try reader.choice("kind", default: OTPKind.totp)
        profile = OTPProfile(
            kind: kind,
            digits: try reader.integer("digits", kind.digitCounts, default: kind.standardDigits))
        maxAttempts = try reader.integer("max_attempts", 1...10, default: 5)
        failure = try FailureSettings(reader)
        client = try ClientSettings(reader)
    }

    var facts: StepFacts {
        var facts = StepFacts()
        facts.outcomes = [StepFacts.OutcomeFacts(.success)]
        facts.reads = user.reads
        facts.needsUser = user.needed
        facts.add(failure, client)
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        let acting = try run.actingUser(user)
        if let identifier = acting.unresolved {
            return .perform(.resolveUser(identifier), .resolvingUser)
        }
        return offer(acting.user)
    }

    private func offer(_ user: UserID) -> Move {
        .perform(.offerOTP(OfferOTPEffect(user: user, profile: profile)), .offeringOTP(user))
    }

    func options(_ asked: Asked) -> [ClientOption] { [OTPPasscode.option] }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        guard case .otpRegistration(var progress) = asked,
            let user = run.instance.user?.id,
            let passcode = OTPPasscode.of(input)
        else {
            throw .invalidState
        }
        guard run.now < progress.expiresAt else { return .fail(.expired) }
        progress.attemptsLeft -= 1
        return .perform(
            .confirmOTP(
                ConfirmOTPEffect(
                    user: user, registration: progress.registration, passcode: passcode)),
            .confirmingOTP(user, progress))
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch (answer, pending) {
        case (.user(let found), _): return offer(try run.actingUser(user, resolved: found))
        case (.otpOffered(let registration, let code, let expiresAt), .offeringOTP(let user)):
            let progress = OTPProgress(
                registration: registration, attemptsLeft: maxAttempts, expiresAt: expiresAt)
            return ask(
                progress,
                [
                    "registration_code": code.use { .string($0) },
                    "user_identifier": .string(user.text),
                ])
        case (.otpRegistered, _): return .leave(.success)
        // The client has signed in, so the error is specific. The registration code is not sent
        // again.
        case (.refused(let code), .confirmingOTP(_, let progress))
        where [.wrongCode, .notRegistered].contains(code) && progress.attemptsLeft > 0:
            return ask(progress, ["error": ["code": .string(code.rawValue)]])
        default: return .fail(answer.refusal)
        }
    }

    private func ask(_ progress: OTPProgress, _ more: [String: JSONValue]) -> Move {
        let data: [String: JSONValue] = [
            "kind": .string(profile.kind.rawValue), "code_length": .number(Double(profile.digits)),
            "attempts_left": .number(Double(progress.attemptsLeft)),
            "expires_at": .number(Double(progress.expiresAt.milliseconds)),
        ]
        return .ask(.object(data.merging(more) { $1 }), .otpRegistration(progress))
    }
}

/// The passcode field that all OTP token steps share.
enum OTPPasscode {
    static let option = ClientOption(
        .clientInput, label: "Continue",
        schema: InputSchema(fields: [.text("passcode", title: "Code", format: .code, maxLength: 20)]
        ))

    static func of(_ input: ValidInput) -> Sensitive<String>? {
        input.plain["passcode"]?.stringValue.map { Sensitive($0) }
    }
}

/// A registration whose first code the client is asked for.
public struct OTPProgress: Sendable, Hashable, Codable {
    /// The registration's ID, not its code.
    let registration: CodeID
    var attemptsLeft: Int
    let expiresAt: Instant
}

/// Offers the registration of an OTP token to a device.
public struct OfferOTPEffect: Sendable, Hashable {
    public let user: UserID
    public let profile: OTPProfile
}

/// Checks that a device redeemed the offer and that this is its code.
public struct ConfirmOTPEffect: Sendable, Hashable {
    public let user: UserID
    public let registration: CodeID
    public let passcode: Sensitive<String>
}

/// The kind of codes that a new OTP token generates.
public struct OTPProfile: Sendable, Hashable {
    public static let digitCounts = 6...10

    public let kind: OTPKind
    public let digits: Int

    /// - Parameter digits: ``MienAPI/OTPKind/digitCounts``; `nil` stands for
    ///   ``MienAPI/OTPKind/standardDigits``.
    public init(kind: OTPKind = .totp, digits: Int? = nil) {
        (self.kind, self.digits) = (kind, digits ?? kind.standardDigits)
    }
}

extension OfferOTPEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> EffectAnswer {
        guard world.index(of: user) != nil else { return .refused(.unavailable) }
        let id = world.issue(CodeID.self)
        return .otpOffered(
            id, registrationCode: Sensitive("registration-\(world.issued)"),
            expiresAt: now + .seconds(600))
    }
}

extension ConfirmOTPEffect {
    /// The simulated device redeems the offer immediately.
    func simulated(in world: inout SimulatedWorld) -> EffectAnswer {
        guard let index = world.index(of: user) else { return .refused(.unavailable) }
        guard passcode.use({ $0 == world.tokenCode }) else { return .refused(.wrongCode) }
        world.users[index].hasToken = true
        return .otpRegistered(user)
    }
}
