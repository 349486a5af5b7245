import MienAPI
public import MienCore

/// Asks the user's OTP token to sign a transaction: an OCRA response to a challenge derived from
/// the shown data. Success signs the user in, and the approved data becomes a claim.
struct TransactionSigningOTP: SigningStep {
    static let type = StepType.transactionSigningOTP
    static let wireName: JourneyStepName? = .otpTransactionSigning
    static let effects: [any SimulatedEffect.Type] = [
        ChallengeOTPEffect.self, VerifyOTPSignatureEffect.self,
    ]
    static let authenticator: AuthenticatorType? = .otp

    static let settings = DeviceKeySigning.transactionSettings

    let signing: DeviceKeySigning

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        signing = try DeviceKeySigning(transaction: reader)
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        _ = try run.reference(signing.user)
        return .perform(ChallengeOTPEffect(approvalData: try signing.approvedData(run)), .init())
    }

    func options(_ asked: Asked) -> [ClientOption] { [OTPPasscode.option] }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        guard let challenge = (asked.state as? DeviceChallengePrompt)?.challenge,
            let passcode = OTPPasscode.of(input)
        else { throw .invalidState }
        do throws(StepFault) {
            let reference = try run.reference(signing.user)
            let signature = OTPSignature(
                challenge: challenge, approvalData: try signing.approvedData(run),
                passcode: passcode)
            return .perform(
                VerifyOTPSignatureEffect(user: reference, signature: signature),
                .init(challenge: challenge, expected: reference.expected))
        } catch { return .fail(error.code) }
    }
}

extension StepType {
    public static let transactionSigningOTP = StepType(declared: "transaction_signing_otp")
}

/// Draws a challenge for an OTP token. The answer is a challenge even for an unknown user or token.
public struct ChallengeOTPEffect: StepEffect {
    public let approvalData: [String: String]

    public var impact: AuthenticatorImpact { .none }

    public typealias Answer = DeviceChallenge
    public typealias Pending = DeviceChallenge.Pending
}

/// Checks an OTP token's response to a transaction challenge.
public struct VerifyOTPSignatureEffect: StepEffect {
    public let user: UserReference
    public let signature: OTPSignature

    public var impact: AuthenticatorImpact { .verifies(.otp) }

    public typealias Answer = Authentication

    public struct Pending: PendingState {
        public static let name = "verifyingOTPSignature"
        let challenge: ChallengeID
        let expected: UserID?

        private enum CodingKeys: String, CodingKey { case challenge = "_0", expected }

        public func accepts(_ answer: Authentication) -> Bool { answer.concerns(expected) }
    }
}

/// An OTP token's response to a transaction challenge.
public struct OTPSignature: Sendable, Hashable {
    public let challenge: ChallengeID
    public let approvalData: [String: String]
    public let passcode: Sensitive<String>
}

extension ChallengeOTPEffect: SimulatedEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply {
        world.challenge()
    }
}

extension VerifyOTPSignatureEffect: SimulatedEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply {
        let isOpen = world.challenges.removeValue(forKey: signature.challenge) != nil,
            code = world.tokenCode
        return world.authenticate(user, .otp, amr: "otp") { user in
            isOpen && user.hasToken && signature.passcode.use { $0 == code }
        }
    }
}
