import MienAPI
public import MienCore

/// Asks a signed-in user for approval of a transaction on another device, which has their OTP token.
///
/// The user must have signed in, in this journey or before it. Otherwise a stranger could start a
/// transaction in the user's name, and would be signed in as the user once they approve it.
///
/// The client shows a code. The user types it on the other device, which fetches the transaction,
/// shows it, and signs what it shows. Typing links the two devices: nobody can make a device ask
/// for approval until its owner approves by mistake. The client asks from time to time whether the
/// user has decided. Success strengthens the sign-in, and the approved data becomes a claim.
struct TransactionApprovalOTP: JourneyStep {
    static let type = StepType.transactionApprovalOTP
    static let wireName: JourneyStepName? = .otpTransactionApproval
    static let effects: [any SimulatedEffect.Type] = [
        RequestApprovalEffect.self, ReadApprovalEffect.self,
    ]
    static let prompts: [any PromptState.Type] = [ApprovalPrompt.self]
    static let authenticator: AuthenticatorType? = .otp

    static let settings = DeviceKeySigning.transactionSettings.filter {
        $0.name != "user_identifier"
    }

    /// How often a client may usefully ask whether the user has decided.
    private static let pollSeconds = 2
    /// How long after a request has expired its decision can be read, because the user may have
    /// decided between the client's last question and the end.
    private static let readable = Duration.seconds(30)

    let signing: DeviceKeySigning

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        signing = try DeviceKeySigning(transaction: reader)
    }

    var failure: FailureSettings? { signing.failure }
    var client: ClientSettings? { signing.client }
    var facts: StepFacts {
        var facts = signing.facts
        facts.needsUser = .authenticated
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        let data = try signing.approvedData(run)
        return .perform(
            RequestApprovalEffect(user: try owner(run), approvalData: data), .init(data: data))
    }

    func options(_ asked: Asked) -> [ClientOption] {
        [ClientOption(.clientInput, label: "Continue")]
    }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        guard let request = (asked.state as? ApprovalPrompt)?.request else { throw .invalidState }
        guard run.now < request.expiresAt + Self.readable else { return .fail(.expired) }
        do throws(StepFault) {
            let owner = try owner(run)
            return .perform(
                ReadApprovalEffect(user: owner, approval: request.approval),
                .init(request: request, expected: owner))
        } catch { return .fail(error.code) }
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch (answer, pending.state) {
        case (.given(let opened as OpenedApproval), let requesting as RequestApprovalEffect.Pending):
            return ask(
                ApprovalRequest(
                    approval: opened.approval, code: opened.code, expiresAt: opened.expiresAt,
                    data: requesting.data), error: nil)
        case (.given(let proof as Authentication), let reading as ReadApprovalEffect.Pending):
            try run.signIn(proof)
            // The approved data becomes a claim: what the device showed, whatever its expressions
            // mean by now.
            run.instance.approvalData.merge(reading.request.data) { $1 }
            return .leave(.success)
        case (.refused(.notYet), let reading as ReadApprovalEffect.Pending):
            guard run.now < reading.request.expiresAt else { return .fail(.expired) }
            return ask(reading.request, error: .notYet)
        default: return .fail(run.reported(answer.refusal, signing.user))
        }
    }

    private func owner(_ run: StepRun) throws(StepFault) -> UserID {
        guard let user = run.instance.user, user.level == .authenticated else {
            throw StepFault(.userMissing)
        }
        return user.id
    }

    private func ask(_ request: ApprovalRequest, error: StepErrorCode?) -> Move {
        var data: [String: JSONValue] = [
            "approval_code": .string(request.code),
            "approval_data": .object(request.data.mapValues { .string($0) }),
            "expires_at": .number(Double(request.expiresAt.milliseconds)),
            "poll_seconds": .number(Double(Self.pollSeconds)),
        ]
        if let error { data["error"] = ["code": .string(error.rawValue)] }
        return .ask(.object(data), Asked(ApprovalPrompt(request: request)))
    }
}

extension StepType {
    public static let transactionApprovalOTP = StepType(declared: "transaction_approval_otp")
}

/// A prompt to approve a transaction on another device.
struct ApprovalPrompt: PromptState {
    static let name = "approval"
    let request: ApprovalRequest

    private enum CodingKeys: String, CodingKey { case request = "_0" }
}

/// A request for approval that waits for the user.
struct ApprovalRequest: Codable, Hashable, Sendable {
    let approval: ChallengeID
    /// The text that the user types on the other device. Without the OTP token, it opens nothing.
    let code: String
    let expiresAt: Instant
    /// The data that the other device shows.
    let data: [String: String]
}

/// Opens a request for approval.
public struct RequestApprovalEffect: StepEffect {
    public let user: UserID
    public let approvalData: [String: String]

    public var impact: AuthenticatorImpact { .none }

    public typealias Answer = OpenedApproval

    public struct Pending: PendingState {
        public static let name = "requestingApproval"
        let data: [String: String]

        public func accepts(_ answer: OpenedApproval) -> Bool { true }
    }
}

/// A request for approval that the server has stored.
public struct OpenedApproval: EffectAnswer {
    public let approval: ChallengeID
    /// The text that the user types on the other device.
    public let code: String
    public let expiresAt: Instant
}

extension EffectReply where Answer == OpenedApproval {
    public static func approvalOpened(
        _ approval: ChallengeID, code: String, expiresAt: Instant
    ) -> Self {
        .answer(OpenedApproval(approval: approval, code: code, expiresAt: expiresAt))
    }
}

/// Asks whether the user has decided. Refused with `not_yet` until then, and with `declined` if the
/// user declined.
public struct ReadApprovalEffect: StepEffect {
    public let user: UserID
    public let approval: ChallengeID

    /// The signature was counted when the other device sent it. Nothing was entered on this one.
    public var impact: AuthenticatorImpact { .none }

    public typealias Answer = Authentication

    public struct Pending: PendingState {
        public static let name = "readingApproval"
        let request: ApprovalRequest
        let expected: UserID

        public func accepts(_ answer: Authentication) -> Bool { answer.concerns(expected) }
    }
}

extension RequestApprovalEffect: SimulatedEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply {
        let id = world.issue(ChallengeID.self)
        world.challenges[id] = "approval-\(world.issued)"
        return .approvalOpened(
            id, code: "approval-\(world.issued)", expiresAt: now + .seconds(300))
    }
}

extension ReadApprovalEffect: SimulatedEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply {
        // Nobody can decide without a token that is not locked.
        guard let owner = world.user(.id(user)), owner.hasToken, !owner.locked.contains(.otp) else {
            return .refused(.notYet)
        }
        switch world.approval {
        case .pending: return .refused(.notYet)
        case .declined: return .refused(.declined)
        case .approved:
            let isOpen = world.challenges.removeValue(forKey: approval) != nil
            return world.authenticate(.id(user), .otp, amr: "otp") { isOpen && $0.hasToken }
        }
    }
}
