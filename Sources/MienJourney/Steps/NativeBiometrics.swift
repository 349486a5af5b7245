import MienCore

/// Asks the device to make a key behind its biometrics, and registers it.
struct RegisterNativeBiometrics: JourneyStep {
    static let settings = DeviceKeyChange.settings

    let change: DeviceKeyChange

    init(_ reader: SettingReader) throws(JourneyDefinitionError) { change = try DeviceKeyChange(reader) }

    var failure: FailureSettings? { change.failure }
    var client: ClientSettings? { change.client }
    let clientCanFail = true
    var facts: StepFacts { change.facts }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move { try change.enter(run) }

    func options(_ asked: Asked) -> [ClientOption] {
        let fields: [InputSchema.Field] = [
            .text("publicKey", title: "Public key", maxLength: 4096), .text("publicKeyId", title: "Key id", maxLength: 128),
            .text("os", title: "Operating system", maxLength: 32), .text("attestation", title: "Attestation", maxLength: 4096 * 4, isRequired: false),
        ]
        return [ClientOption(.clientInput, label: "Done", schema: InputSchema(fields: fields))]
    }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun) throws(JourneyClientError) -> Move {
        guard let user = run.instance.user?.id, let publicKey = input.plain["publicKey"]?.stringValue,
            let keyID = input.plain["publicKeyId"]?.stringValue, let os = input.plain["os"]?.stringValue
        else { throw .invalidState }
        let key = DeviceKeyRegistration(
            publicKey: publicKey, publicKeyID: keyID, os: os, attestation: input.plain["attestation"]?.stringValue)
        return .perform(.registerDeviceKey(user: user, key), .registeringKey(user, publicKeyID: keyID))
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun) throws(StepFault) -> Move {
        try change.resume(answer, run)
    }
}

/// Asks the device to forget its key, and deletes it.
struct DeleteNativeBiometrics: JourneyStep {
    static let settings = DeviceKeyChange.settings

    let change: DeviceKeyChange

    init(_ reader: SettingReader) throws(JourneyDefinitionError) { change = try DeviceKeyChange(reader) }

    var failure: FailureSettings? { change.failure }
    var client: ClientSettings? { change.client }
    let clientCanFail = true
    var facts: StepFacts { change.facts }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move { try change.enter(run) }

    func options(_ asked: Asked) -> [ClientOption] {
        let fields = [InputSchema.Field.text("publicKeyId", title: "Key id", maxLength: 128, isRequired: false)]
        return [ClientOption(.clientInput, label: "Done", schema: InputSchema(fields: fields))]
    }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun) throws(JourneyClientError) -> Move {
        guard let user = run.instance.user?.id else { throw .invalidState }
        return .perform(.deleteDeviceKey(user: user, keyID: input.plain["publicKeyId"]?.stringValue), .deletingKey)
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun) throws(StepFault) -> Move {
        try change.resume(answer, run)
    }
}

/// What both have in common: whose device is asked, and how that goes wrong.
struct DeviceKeyChange: Sendable {
    static let settings = ActingUser.settings + FailureSettings.settings + ClientSettings.settings

    let user: ActingUser
    let failure: FailureSettings?
    let client: ClientSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
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
        if let identifier = acting.unresolved { return .perform(.resolveUser(identifier: identifier), .resolvingUser) }
        return .ask(["user_identifier": .string(acting.user.text)], .input)
    }

    func resume(_ answer: EffectResult.Answer, _ run: StepRun) throws(StepFault) -> Move {
        switch answer {
        case .user(let found): return .ask(["user_identifier": .string(try run.actingUser(user, resolved: found).text)], .input)
        case .deviceKeyRegistered, .done: return .leave(.success)
        default: return .fail(answer.refusal)
        }
    }
}
