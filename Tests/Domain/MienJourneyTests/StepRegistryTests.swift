import MienAPI
import MienCore
import Testing

@testable import MienJourney

@Suite("The list of steps")
struct StepRegistryTests {
    @Test("each name belongs to one step")
    func names() {
        let types = StepType.allCases.map(\.rawValue)
        #expect(Set(types).count == types.count)
        let names = StepType.allCases.compactMap(\.wireName)
        #expect(Set(names).count == names.count)
        #expect(Set(names) == Set(JourneyStepName.allCases).subtracting([.success, .rejection]))
        let spellings = JourneyStepName.allCases.flatMap { [$0.rawValue] + $0.aliases }
        #expect(Set(spellings).count == spellings.count)
        for type in StepType.allCases {
            #expect(StepType(rawValue: type.rawValue) == type)
        }
        let steps = StepType.allCases.map { ObjectIdentifier($0.implementation) }
        #expect(Set(steps).count == steps.count)
        #expect(StepType(rawValue: "nonsense") == nil)
    }

    @Test("each step lists a setting once", arguments: StepType.allCases)
    func lists(type: StepType) {
        let settings = type.implementation.settings.map(\.name)
        #expect(Set(settings).count == settings.count)
    }

    @Test("each code of the linter is listed once")
    func lintCodes() {
        let codes = LintFinding.Code.allCases
        #expect(Set(codes).count == codes.count)
    }

    @Test("effects that change authenticators, or prove them, say so")
    func impact() {
        let user = Made.ada, reference = UserReference.id(Made.ada), secret = Sensitive("x")
        let challenge = ChallengeID("chl_1")!, code = CodeID("otc_1")!
        let key = DeviceKeyRegistration(
            publicKey: "p", publicKeyID: "k", os: "ios", challenge: challenge, attestation: nil)
        let proof = DeviceKeyProof(
            challenge: challenge, purpose: .authentication, publicKeyID: "k", signature: secret,
            userIdentifier: nil, challengeText: nil)
        let signature = OTPSignature(challenge: challenge, approvalData: [:], passcode: secret)
        let important: [(StepEffect, AuthenticatorImpact)] = [
            (
                .registerFace(
                    RegisterFaceEffect(user: user, capture: Made.capture, consentTextVersion: "1")),
                .adds(user)
            ),
            (.registerDeviceKey(RegisterDeviceKeyEffect(user: user, key: key)), .adds(user)),
            (.offerOTP(OfferOTPEffect(user: user, profile: OTPProfile())), .adds(user)),
            (.setPassword(SetPasswordEffect(user: user, password: secret)), .addsToEveryApp(user)),
            (.deleteDeviceKey(DeleteDeviceKeyEffect(user: user, keyID: nil)), .removes(user)),
            (
                .authenticatePassword(
                    AuthenticatePasswordEffect(user: reference, password: secret)),
                .verifies(.password)
            ),
            (
                .authenticateFace(AuthenticateFaceEffect(user: reference, capture: Made.capture)),
                .verifies(.face)
            ),
            (
                .checkEmailCode(
                    CheckEmailCodeEffect(code: code, user: reference, passcode: secret)),
                .verifies(.emailCode)
            ),
            (
                .verifyDeviceKey(VerifyDeviceKeyEffect(user: reference, proof: proof)),
                .verifies(.nativeBiometrics)
            ),
            (
                .authenticateOTP(AuthenticateOTPEffect(user: reference, passcode: secret)),
                .verifies(.otp)
            ),
            (
                .verifyOTPSignature(
                    VerifyOTPSignatureEffect(user: reference, signature: signature)),
                .verifies(.otp)
            ),
            (.readApproval(ReadApprovalEffect(user: user, approval: challenge)), .none),
            (
                .authenticateRecoveryCode(
                    AuthenticateRecoveryCodeEffect(user: reference, code: secret)),
                .verifies(.recoveryCode)
            ),
        ]
        for (effect, impact) in important { #expect(effect.impact == impact, "\(effect)") }
    }

    @Test(
        "a journey asks for the authenticators of its steps",
        arguments: [
            (.authenticatePassword, .password), (.authenticateFace, .face),
            (.authenticateNativeBiometrics, .nativeBiometrics),
            (.transactionSigningNativeBiometrics, .nativeBiometrics),
            (.emailOTPAuthentication, .emailCode), (.authenticateOTP, .otp),
            (.transactionSigningOTP, .otp), (.transactionApprovalOTP, .otp),
        ] as [(StepType, AuthenticatorType)])
    func authenticators(type: StepType, authenticator: AuthenticatorType) throws {
        let definition = try JourneyDefinition(
            DefinitionTests.step(type.rawValue, .object(DefinitionTests.least[type] ?? [:])))
        #expect(definition.authenticatorsAsked == [authenticator])
    }
}
