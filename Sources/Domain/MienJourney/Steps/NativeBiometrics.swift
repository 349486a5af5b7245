import MienCore

/// Asks the device to create a key protected by its biometrics, with a challenge for the key's
/// attestation, and registers the key.
struct RegisterNativeBiometrics: JourneyStep {
    static let settings = DeviceKeyChange.settings

    let change: DeviceKeyChange

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        change = try DeviceKeyChange(reader, isRegistration: true)
    }

    var failure: FailureSettings? { change.failure }
    var client: ClientSettings? { change.client }
    let clientCanFail = true
    var facts: StepFacts { change.facts }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move { try change.enter(run) }

    func options(_ asked: Asked) -> [ClientOption] {
        let fields: [InputSchema.Field] = [
            .text("publicKey", title: "Public key", maxLength: 4096),
            .text("publicKeyId", title: "Key id", maxLength: 128),
            .text("os", title: "Operating system", maxLength: 32),
            .text("attestation", title: "Attestation", maxLength: 4096 * 4, isRequired: false),
        ]
        return [ClientOption(.clientInput, label: "Done", schema: InputSchema(fields: fields))]
    }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        guard case .deviceKey(let challenge) = asked, let user = run.instance.user?.id,
            let publicKey = input.plain["publicKey"]?.stringValue,
            let keyID = input.plain["publicKeyId"]?.stringValue,
            let os = input.plain["os"]?.stringValue
        else { throw .invalidState }
        let key = DeviceKeyRegistration(
            publicKey: publicKey, publicKeyID: keyID, os: os, challenge: challenge,
            attestation: input.plain["attestation"]?.stringValue)
        return .perform(
            .registerDeviceKey(user: user, key), .registeringKey(user, publicKeyID: keyID))
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        try change.resume(answer, run)
    }
}

/// Asks the device to delete its key, and deletes its registration.
struct DeleteNativeBiometrics: JourneyStep {
    static let settings = DeviceKeyChange.settings

    let change: DeviceKeyChange

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        change = try DeviceKeyChange(reader, isRegistration: false)
    }

    var failure: FailureSettings? { change.failure }
    var client: ClientSettings? { change.client }
    let clientCanFail = true
    var facts: StepFacts { change.facts }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move { try change.enter(run) }

    func options(_ asked: Asked) -> [ClientOption] {
        let fields = [
            InputSchema.Field.text(
                "publicKeyId", title: "Key id", maxLength: 128, isRequired: false)
        ]
        return [ClientOption(.clientInput, label: "Done", schema: InputSchema(fields: fields))]
    }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        guard let user = run.instance.user?.id else { throw .invalidState }
        return .perform(
            .deleteDeviceKey(user: user, keyID: input.plain["publicKeyId"]?.stringValue),
            .deletingKey)
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        try change.resume(answer, run)
    }
}

/// The parts shared by both steps: the user whose device is asked, and failure handling.
struct DeviceKeyChange: Sendable {
    static let settings = ActingUser.settings + FailureSettings.settings + ClientSettings.settings

    /// Whether this is a registration, which has a challenge.
    let isRegistration: Bool
    let user: ActingUser
    let failure: FailureSettings?
    let client: ClientSettings?

    init(_ reader: SettingReader, isRegistration: Bool) throws(JourneyDefinitionError) {
        self.isRegistration = isRegistration
        user = try ActingUser(reader)
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

    func enter(_ run: StepRun) throws(StepFault) -> Move {
        let acting = try run.actingUser(user)
        if let identifier = acting.unresolved {
            return .perform(.resolveUser(identifier: identifier), .resolvingUser)
        }
        return ask(acting.user)
    }

    private func ask(_ user: UserID) -> Move {
        isRegistration
            ? .perform(.challengeDeviceKey(user: .id(user), .registration), .challengingKey)
            : .ask(["user_identifier": .string(user.text)], .input)
    }

    func resume(_ answer: EffectResult.Answer, _ run: StepRun) throws(StepFault) -> Move {
        switch answer {
        case .user(let found): return ask(try run.actingUser(user, resolved: found))
        case .deviceChallenge(let id, let challenge):
            return .ask(
                [
                    "user_identifier": .string(try run.actingUser(user).user.text),
                    "challenge": .string(challenge),
                ], .deviceKey(id))
        case .deviceKeyRegistered, .done: return .leave(.success)
        default: return .fail(answer.refusal)
        }
    }
}
