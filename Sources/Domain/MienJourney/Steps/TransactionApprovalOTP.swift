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
    static let wireName: JourneyStepName? = .otpTransactionApproval
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
            .requestApproval(RequestApprovalEffect(user: try owner(run), approvalData: data)),
            .requestingApproval(data: data))
    }

    func options(_ asked: Asked) -> [ClientOption] {
        [ClientOption(.clientInput, label: "Continue")]
    }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        guard case .approval(let request) = asked else { throw .invalidState }
        guard run.now < request.expiresAt + Self.readable else { return .fail(.expired) }
        do throws(StepFault) {
            let owner = try owner(run)
            return .perform(
                .readApproval(ReadApprovalEffect(user: owner, approval: request.approval)),
                .readingApproval(request, expected: owner))
        } catch { return .fail(error.code) }
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch (answer, pending) {
        case (.approvalOpened(let approval, let code, let expiresAt), .requestingApproval(let data)):
            return ask(
                ApprovalRequest(
                    approval: approval, code: code, expiresAt: expiresAt, data: data), error: nil)
        case (.proof(let proof), .readingApproval(let request, _)):
            try run.signIn(proof)
            // The approved data becomes a claim: what the device showed, whatever its expressions
            // mean by now.
            run.instance.approvalData.merge(request.data) { $1 }
            return .leave(.success)
        case (.refused(.notYet), .readingApproval(let request, _)):
            guard run.now < request.expiresAt else { return .fail(.expired) }
            return ask(request, error: .notYet)
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
        return .ask(.object(data), .approval(request))
    }
}

/// A request for approval that waits for the user.
public struct ApprovalRequest: Codable, Hashable, Sendable {
    let approval: ChallengeID
    /// The text that the user types on the other device. Without the OTP token, it opens nothing.
    let code: String
    let expiresAt: Instant
    /// The data that the other device shows.
    let data: [String: String]
}

/// Opens a request for approval.
public struct RequestApprovalEffect: Sendable, Hashable {
    public let user: UserID
    public let approvalData: [String: String]
}

/// Asks whether the user has decided. Refused with `not_yet` until then, and with `declined` if the
/// user declined.
public struct ReadApprovalEffect: Sendable, Hashable {
    public let user: UserID
    public let approval: ChallengeID
}

extension RequestApprovalEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> EffectAnswer {
        let id = world.issue(ChallengeID.self)
        world.challenges[id] = "approval-\(world.issued)"
        return .approvalOpened(
            id, code: "approval-\(world.issued)", expiresAt: now + .seconds(300))
    }
}

extension ReadApprovalEffect {
    func simulated(in world: inout SimulatedWorld) -> EffectAnswer {
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
