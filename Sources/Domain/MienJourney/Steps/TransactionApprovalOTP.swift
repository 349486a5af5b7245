import MienAPI
public import MienCore

/// Asks for approval of a transaction on another device of the user, which has their OTP token.
///
/// The client shows a code. The user types it on the other device, which fetches the transaction,
/// shows it, and signs what it shows. Typing links the two devices: nobody can make a device ask
/// for approval until its owner approves by mistake. The client asks from time to time whether the
/// user has decided. Success signs the user in, and the approved data becomes a claim.
struct TransactionApprovalOTP: JourneyStep {
    static let type = StepType.transactionApprovalOTP
    static let wireName: JourneyStepName? = .otpTransactionApproval
    static let effects: [any SimulatedEffect.Type] = [
        RequestApprovalEffect.self, ReadApprovalEffect.self,
    ]
    static let prompts: [any PromptState.Type] = [ApprovalPrompt.self]
    static let authenticator: AuthenticatorType? = .otp

    static let settings = DeviceKeySigning.transactionSettings

    /// How often a client may usefully ask whether the user has decided.
    private static let pollSeconds = 2

    let signing: DeviceKeySigning

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        signing = try DeviceKeySigning(transaction: reader)
    }

    var failure: FailureSettings? { signing.failure }
    var client: ClientSettings? { signing.client }
    var facts: StepFacts { signing.facts }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        .perform(
            RequestApprovalEffect(
                user: try run.reference(signing.user), approvalData: try signing.approvedData(run)),
            .init())
    }

    func options(_ asked: Asked) -> [ClientOption] {
        [ClientOption(.clientInput, label: "Continue")]
    }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        guard let request = (asked.state as? ApprovalPrompt)?.request else { throw .invalidState }
        guard run.now < request.expiresAt else { return .fail(.expired) }
        do throws(StepFault) {
            let reference = try run.reference(signing.user)
            return .perform(
                ReadApprovalEffect(user: reference, approval: request.approval),
                .init(request: request, expected: reference.expected))
        } catch { return .fail(error.code) }
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch (answer, pending.state) {
        case (.given(let request as ApprovalRequest), _):
            return try ask(request, error: nil, run)
        case (.given(let proof as Authentication), _):
            try run.signIn(proof)
            // The approved data becomes a claim.
            run.instance.approvalData.merge(try signing.approvedData(run)) { $1 }
            return .leave(.success)
        case (.refused(.notYet), let reading as ReadApprovalEffect.Pending):
            return try ask(reading.request, error: .notYet, run)
        default: return .fail(run.reported(answer.refusal, signing.user))
        }
    }

    private func ask(_ request: ApprovalRequest, error: StepErrorCode?, _ run: StepRun)
        throws(StepFault) -> Move
    {
        var data: [String: JSONValue] = [
            "approval_code": .string(request.code),
            "approval_data": .object(try signing.approvedData(run).mapValues { .string($0) }),
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

/// Asks for approval. The answer is a request even for an unknown user or token; nobody can approve
/// that one.
public struct RequestApprovalEffect: StepEffect {
    public let user: UserReference
    public let approvalData: [String: String]

    public var impact: AuthenticatorImpact { .none }

    public typealias Answer = ApprovalRequest

    public struct Pending: PendingState {
        public static let name = "requestingApproval"
        public func accepts(_ answer: ApprovalRequest) -> Bool { true }
    }
}

/// A request for approval that waits for the user.
public struct ApprovalRequest: EffectAnswer, Codable, Hashable {
    public let approval: ChallengeID
    /// The text that the user types on the other device. Without the OTP token, it opens nothing.
    public let code: String
    public let expiresAt: Instant
}

extension EffectReply where Answer == ApprovalRequest {
    public static func approvalRequested(
        _ approval: ChallengeID, code: String, expiresAt: Instant
    ) -> Self {
        .answer(ApprovalRequest(approval: approval, code: code, expiresAt: expiresAt))
    }
}

/// Asks whether the user has decided. Refused with `not_yet` until then, and with `declined` if the
/// user declined. An approval can be read once.
public struct ReadApprovalEffect: StepEffect {
    public let user: UserReference
    public let approval: ChallengeID

    public var impact: AuthenticatorImpact { .verifies(.otp) }

    public typealias Answer = Authentication

    public struct Pending: PendingState {
        public static let name = "readingApproval"
        let request: ApprovalRequest
        let expected: UserID?

        public func accepts(_ answer: Authentication) -> Bool { answer.concerns(expected) }
    }
}

extension RequestApprovalEffect: SimulatedEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply {
        let id = world.issue(ChallengeID.self)
        world.challenges[id] = "approval-\(world.issued)"
        return .approvalRequested(
            id, code: "approval-\(world.issued)", expiresAt: now + .seconds(300))
    }
}

extension ReadApprovalEffect: SimulatedEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply {
        switch world.approval {
        case .pending: return .refused(.notYet)
        case .declined: return .refused(.declined)
        case .approved:
            let isOpen = world.challenges.removeValue(forKey: approval) != nil
            return world.authenticate(user, .otp, amr: "otp") { isOpen && $0.hasToken }
        }
    }
}
