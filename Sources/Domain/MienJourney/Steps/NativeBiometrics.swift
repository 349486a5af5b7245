import MienAPI
public import MienCore

/// Asks the device to create a key protected by its biometrics, with a challenge for the key's
/// attestation, and registers the key.
struct RegisterNativeBiometrics: JourneyStep {
    static let wireName: JourneyStepName? = .registerNativeBiometrics

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
            .text("userVerification", title: "What unlocks the key", isRequired: false),
        ]
        return [ClientOption(.clientInput, label: "Done", schema: InputSchema(fields: fields))]
    }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        guard case .deviceKey(let challenge) = asked,
            let user = run.instance.user?.id,
            let publicKey = input.plain["publicKey"]?.stringValue,
            let keyID = input.plain["publicKeyId"]?.stringValue,
            let os = input.plain["os"]?.stringValue
        else { throw .invalidState }
        let key = DeviceKeyRegistration(
            publicKey: publicKey, publicKeyID: keyID, os: os, challenge: challenge,
            attestation: input.plain["attestation"]?.stringValue,
            userVerification: input.plain["userVerification"]?.stringValue)
        return .perform(
            .registerDeviceKey(RegisterDeviceKeyEffect(user: user, key: key)),
            .registeringKey(user, publicKeyID: keyID))
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        if case .deviceKeyRegistered(_, _, let replacements) = answer {
            for replacement in replacements { run.replace(replacement) }
        }
        return try change.resume(answer, run)
    }
}

/// Asks the device to delete its key, and deletes its registration.
struct DeleteNativeBiometrics: JourneyStep {
    static let wireName: JourneyStepName? = .deleteMobileBiometrics

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
            .deleteDeviceKey(
                DeleteDeviceKeyEffect(user: user, keyID: input.plain["publicKeyId"]?.stringValue)),
            .deletingKey)
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
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
            return .perform(.resolveUser(identifier), .resolvingUser)
        }
        return ask(acting.user)
    }

    private func ask(_ user: UserID) -> Move {
        isRegistration
            ? .perform(
                .challengeDeviceKey(
                    ChallengeDeviceKeyEffect(user: .id(user), purpose: .registration)),
                .challengingKey)
            : .ask(["user_identifier": .string(user.text)], .input)
    }

    func resume(_ answer: EffectAnswer, _ run: StepRun) throws(StepFault) -> Move {
        switch answer {
        case .user(let found): return ask(try run.actingUser(user, resolved: found))
        case .deviceChallenge(let id, let challenge, let names):
            var data: [String: JSONValue] = [
                "user_identifier": .string(try run.actingUser(user).user.text),
                "challenge": .string(challenge),
            ]
            // Only a user who signed in is told the names that the device may store the key under.
            if run.instance.user?.level == .authenticated, !names.isEmpty {
                data["user_names"] = .array(names.map { .string($0) })
            }
            return .ask(.object(data), .deviceKey(id))
        case .deviceKeyRegistered, .done: return .leave(.success)
        default: return .fail(answer.refusal)
        }
    }
}

/// Registers a device's key. Checks the attestation against the app's policy.
public struct RegisterDeviceKeyEffect: Sendable, Hashable {
    public let user: UserID
    public let key: DeviceKeyRegistration
}

/// The data a device sends after it creates a key.
public struct DeviceKeyRegistration: Sendable, Hashable {
    public let publicKey, publicKeyID, os: String
    /// The challenge the device received. It is used up even if the attestation is invalid.
    public let challenge: ChallengeID
    public let attestation: String?
    /// How the device verifies its user before the key signs, as the app says: `biometric`,
    /// `biometric_or_pin`, or `none`. The performer checks the word.
    public var userVerification: String? = nil
}

/// Deletes the registration of one key, or of all.
public struct DeleteDeviceKeyEffect: Sendable, Hashable {
    public let user: UserID
    public let keyID: String?
}

extension RegisterDeviceKeyEffect {
    func simulated(in world: inout SimulatedWorld) -> EffectAnswer {
        guard let index = world.index(of: user) else { return .refused(.unavailable) }
        world.challenges[key.challenge] = nil
        // As a server does: 8 to 64 of A-Z, a-z, 0-9, “_” and “-”.
        guard key.publicKeyID.utf8.count >= 8, StepID.isName(key.publicKeyID) else {
            return .refused(.invalidKey)
        }
        guard
            !world.users.indices.contains(where: {
                $0 != index && world.users[$0].deviceKeys.contains(key.publicKeyID)
            })
        else { return .refused(.keyIDTaken) }
        // A key with the ID of an earlier one replaces it.
        world.users[index].deviceKeys.removeAll { $0 == key.publicKeyID }
        world.users[index].deviceKeys.append(key.publicKeyID)
        return .deviceKeyRegistered(user, publicKeyID: key.publicKeyID)
    }
}

extension DeleteDeviceKeyEffect {
    func simulated(in world: inout SimulatedWorld) -> EffectAnswer {
        guard let index = world.index(of: user) else { return .refused(.unavailable) }
        world.users[index].deviceKeys.removeAll { keyID == nil || $0 == keyID }
        return .done
    }
}
