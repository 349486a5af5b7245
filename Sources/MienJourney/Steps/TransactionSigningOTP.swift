import MienCore

/// Asks the user's token to sign a transaction: an OCRA response to a challenge made from what is shown. Success signs the user in, and what was approved
/// becomes a claim.
struct TransactionSigningOTP: JourneyStep {
    static let settings =
        CheckedUser.settings() + [
            Setting(
                "approval_data", .expressions(maxCount: DeviceKeySigning.maxPairs), required: true,
                "What is signed: up to 10 names and expressions. Names and values are of `A-Z a-z 0-9 _ . -`, 1 to 64.")
        ] + FailureSettings.settings + ClientSettings.settings

    let signing: DeviceKeySigning

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        let data = try reader.required("approval_data", try reader.expressions("approval_data", maxCount: DeviceKeySigning.maxPairs))
        guard !data.isEmpty else { throw reader.error("approval_data", "there is something to sign: at least one pair") }
        signing = try DeviceKeySigning(reader, approvalData: data)
    }

    var failure: FailureSettings? { signing.failure }
    var client: ClientSettings? { signing.client }
    let clientCanFail = true
    var facts: StepFacts { signing.facts }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        _ = try run.reference(signing.user)
        return .perform(.challengeOTP(approvalData: try signing.approvedData(run)), .challengingKey)
    }

    func options(_ asked: Asked) -> [ClientOption] { [OTPPasscode.option] }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun) throws(JourneyClientError) -> Move {
        guard case .deviceKey(let challenge) = asked, let passcode = OTPPasscode.of(input) else { throw .invalidState }
        do throws(StepFault) {
            let reference = try run.reference(signing.user)
            let signature = OTPSignature(challenge: challenge, approvalData: try signing.approvedData(run), passcode: passcode)
            return .perform(
                .verifyOTPSignature(user: reference, signature), .verifyingOTPSignature(challenge, expected: run.expected(reference)))
        } catch { return .fail(error.code) }
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun) throws(StepFault) -> Move {
        let move = try signing.resume(answer, &run)
        if case .authenticated = answer { run.instance.approvalData.merge(try signing.approvedData(run)) { $1 } }
        return move
    }
}
