import MienAPI
public import MienCore

/// Asks the user's OTP token to sign a transaction: an OCRA response to a challenge derived from
/// the shown data. Success signs the user in, and the approved data becomes a claim.
struct TransactionSigningOTP: SigningStep {
    static let wireName: JourneyStepName? = .otpTransactionSigning
    static let authenticator: AuthenticatorType? = .otp

    static let settings = DeviceKeySigning.transactionSettings

    let signing: DeviceKeySigning

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        signing = try DeviceKeySigning(transaction: reader)
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        _ = try run.reference(signing.user)
        return .perform(
            .challengeOTP(approvalData: try signing.approvedData(run)), .challengingKey)
    }

    func options(_ asked: Asked) -> [ClientOption] { [OTPPasscode.option] }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        guard case .deviceKey(let challenge) = asked, let passcode = OTPPasscode.of(input) else {
            throw .invalidState
        }
        do throws(StepFault) {
            let reference = try run.reference(signing.user)
            let signature = OTPSignature(
                challenge: challenge, approvalData: try signing.approvedData(run),
                passcode: passcode)
            return .perform(
                .verifyOTPSignature(
                    VerifyOTPSignatureEffect(user: reference, signature: signature)),
                .verifyingOTPSignature(expected: reference.expected))
        } catch { return .fail(error.code) }
    }
}

/// Checks an OTP token's response to a transaction challenge.
public struct VerifyOTPSignatureEffect: Sendable, Hashable {
    public let user: UserReference
    public let signature: OTPSignature
}

/// An OTP token's response to a transaction challenge.
public struct OTPSignature: Sendable, Hashable {
    public let challenge: ChallengeID
    public let approvalData: [String: String]
    public let passcode: Sensitive<String>
}

extension VerifyOTPSignatureEffect {
    func simulated(in world: inout SimulatedWorld) -> EffectAnswer {
        let isOpen = world.challenges.removeValue(forKey: signature.challenge) != nil,
            code = world.tokenCode
        return world.authenticate(user, .otp, amr: "otp") { user in
            isOpen && user.hasToken && signature.passcode.use { $0 == code }
        }
    }
}
