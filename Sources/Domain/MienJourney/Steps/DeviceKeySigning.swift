import MienAPI
public import MienCore

/// Asks the device to sign a challenge. Success signs the user in.
struct AuthenticateNativeBiometrics: DeviceKeyStep {
    static let wireName: JourneyStepName? = .nativeBiometricsAuthentication

    static let settings =
        CheckedUser.settings() + FailureSettings.settings + ClientSettings.settings

    let signing: DeviceKeySigning

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        signing = try DeviceKeySigning(reader, approvalData: nil)
    }
}

/// Asks the device to sign a transaction together with a challenge. Success signs the user in, and
/// the approved data becomes a claim.
struct TransactionSigningNativeBiometrics: DeviceKeyStep {
    static let wireName: JourneyStepName? = .nativeBiometricsTransactionSigning

    static let settings = DeviceKeySigning.transactionSettings

    let signing: DeviceKeySigning

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        signing = try DeviceKeySigning(transaction: reader)
    }
}

/// A step that asks a device, or an OTP token, to sign a challenge.
protocol SigningStep: JourneyStep {
    var signing: DeviceKeySigning { get }
}

extension SigningStep {
    var failure: FailureSettings? { signing.failure }
    var client: ClientSettings? { signing.client }
    var clientCanFail: Bool { true }
    var facts: StepFacts { signing.facts }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        try signing.resume(answer, &run)
    }
}

/// A step that asks a device to sign with its key.
protocol DeviceKeyStep: SigningStep {}

extension DeviceKeyStep {
    static var authenticator: AuthenticatorType? { .nativeBiometrics }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move { try signing.challenge(&run) }
    func options(_ asked: Asked) -> [ClientOption] { DeviceKeySigning.options }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        try signing.verify(input, asked, &run)
    }
}

/// The parts shared by authentication and transaction signing with a device key. Transaction
/// signing with an OTP token uses them, too.
struct DeviceKeySigning: Sendable {
    private static let maxPairs = 10
    static let transactionSettings =
        CheckedUser.settings() + [
            Setting(
                "approval_data", .expressions(maxCount: maxPairs), required: true,
                "The data to sign: up to 10 names and expressions. Names and values have 1 to 64 of `A-Z a-z 0-9 _ . -`."
            )
        ] + FailureSettings.settings + ClientSettings.settings

    let user: CheckedUser
    let approvalData: [String: JourneyExpression]?
    let failure: FailureSettings?
    let client: ClientSettings?

    init(_ reader: SettingReader, approvalData: [String: JourneyExpression]?)
        throws(JourneyDefinitionError)
    {
        self.approvalData = approvalData
        user = try CheckedUser(reader)
        failure = try FailureSettings(reader)
        client = try ClientSettings(reader)
    }

    /// Creates the step for signing the data in the setting `approval_data`.
    init(transaction reader: SettingReader) throws(JourneyDefinitionError) {
        let data = try reader.required(
            "approval_data", try reader.expressions("approval_data", maxCount: Self.maxPairs))
        guard !data.isEmpty else {
            throw reader.error("approval_data", "at least one pair to sign is required")
        }
        try self.init(reader, approvalData: data)
    }

    static let options: [ClientOption] = {
        let fields: [InputSchema.Field] = [
            .text("publicKeyId", title: "Key id", maxLength: 128),
            .text("signature", title: "Signature", maxLength: 4096),
            .text("user_identifier", title: "User", isRequired: false),
            .text("challenge", title: "Challenge", maxLength: 4096, isRequired: false),
            .text("userVerification", title: "What unlocked the key", isRequired: false),
        ]
        return [ClientOption(.clientInput, label: "Done", schema: InputSchema(fields: fields))]
    }()

    var facts: StepFacts {
        // Signing a transaction does not restore access.
        var facts = StepFacts.signingIn(.other, approvalData == nil ? .restoring : nil)
        facts.reads =
            user.reads
            + (approvalData ?? [:]).sorted { $0.key < $1.key }.map {
                StepFacts.Read("approval_data.\($0.key)", $0.value)
            }
        facts.needsUser = user.needed
        facts.add(failure, client)
        return facts
    }

    func challenge(_ run: inout StepRun) throws(StepFault) -> Move {
        .perform(
            .challengeDeviceKey(
                ChallengeDeviceKeyEffect(user: try run.reference(user), purpose: try purpose(run))),
            .challengingKey)
    }

    func verify(_ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        guard case .deviceKey(let challenge) = asked,
            let keyID = input.plain["publicKeyId"]?.stringValue,
            let signature = input.plain["signature"]?.stringValue
        else { throw .invalidState }
        var unlock: DeviceKeyUnlock?
        if let word = input.plain["userVerification"]?.stringValue {
            guard let known = DeviceKeyUnlock(rawValue: word) else {
                throw .notValid("userVerification", "expected “biometric” or “pin”")
            }
            unlock = known
        }
        do throws(StepFault) {
            let proof = DeviceKeyProof(
                challenge: challenge, purpose: try purpose(run), publicKeyID: keyID,
                signature: Sensitive(signature),
                userIdentifier: input.plain["user_identifier"]?.stringValue.map { Sensitive($0) },
                challengeText: input.plain["challenge"]?.stringValue.map { Sensitive($0) },
                unlock: unlock)
            return .perform(
                .verifyDeviceKey(
                    VerifyDeviceKeyEffect(user: try run.reference(user), proof: proof)),
                .verifyingKey)
        } catch { return .fail(error.code) }
    }

    func resume(_ answer: EffectAnswer, _ run: inout StepRun) throws(StepFault) -> Move {
        switch answer {
        case .deviceChallenge(let id, let challenge, _):
            // Return the identifier as given, so that the response does not reveal whether the user
            // exists.
            var data: [String: JSONValue] = ["challenge": .string(challenge)]
            switch try run.reference(user) {
            case .id(let user): data["user_identifier"] = .string(user.text)
            case .identifier(let identifier):
                data["user_identifier"] = identifier.use { .string($0) }
            }
            if approvalData != nil {
                data["transaction_challenge"] = .string(challenge)
                data["approval_data"] = .object(try approvedData(run).mapValues { .string($0) })
            }
            return .ask(.object(data), .deviceKey(id))
        case .proof(let proof):
            // The signed data becomes a claim. Evaluate it before the sign-in, which can change the
            // values of its expressions.
            let signed = approvalData == nil ? [:] : try approvedData(run)
            try run.signIn(proof)
            run.instance.approvalData.merge(signed) { $1 }
            return .leave(.success)
        default: return .fail(run.reported(answer.refusal, user))
        }
    }

    private func purpose(_ run: StepRun) throws(StepFault) -> DeviceKeyPurpose {
        approvalData == nil ? .authentication : .transaction(approvalData: try approvedData(run))
    }

    func approvedData(_ run: StepRun) throws(StepFault) -> [String: String] {
        var data: [String: String] = [:]
        for (name, expression) in approvalData ?? [:] {
            let text = try run.text(expression)
            guard (1...64).contains(text.utf8.count),
                text.utf8.allSatisfy({
                    StepID.isName(String(Character(Unicode.Scalar($0)))) || $0 == UInt8(ascii: ".")
                })
            else { throw StepFault(.expressionFailed) }
            data[name] = text
        }
        return data
    }
}

/// Checks the signature of a device's key.
public struct VerifyDeviceKeyEffect: Sendable, Hashable {
    public let user: UserReference
    public let proof: DeviceKeyProof
}

public struct DeviceKeyProof: Sendable, Hashable {
    public let challenge: ChallengeID
    public let purpose: DeviceKeyPurpose
    public let publicKeyID: String
    public let signature: Sensitive<String>
    /// The identifier that the client repeats, for the performer to compare.
    public let userIdentifier: Sensitive<String>?
    public let challengeText: Sensitive<String>?
    /// How the device verified its user, if the client says so.
    public var unlock: DeviceKeyUnlock? = nil
}

extension VerifyDeviceKeyEffect {
    func simulated(in world: inout SimulatedWorld) -> EffectAnswer {
        let challenge = world.challenges.removeValue(forKey: proof.challenge)
        // Simulates a key without attestation.
        return world.authenticate(user, .nativeBiometrics, amr: "pop") { user in
            guard let challenge, user.deviceKeys.contains(proof.publicKeyID) else { return false }
            return proof.signature.use { $0 == "signed:\(challenge)" }
        }
    }
}
