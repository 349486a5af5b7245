import MienKeys
import Testing

@testable import MienClient

@Suite struct BiometricOptionsTests {
    @Test(
        "each constraint of Android has its policy and constraint",
        arguments: [
            ([.biometricStrong], true, .biometryCurrentSet, false),
            ([.biometricStrong], false, .biometryAny, false),
            ([.biometricWeak], true, .biometryCurrentSet, false),
            ([.biometricStrong, .biometricWeak], false, .biometryAny, false),
            ([.biometricStrong, .deviceCredential], true, .biometryCurrentSet, true),
            ([.biometricWeak, .deviceCredential], false, .biometryAny, true),
            ([.deviceCredential], true, .userPresence, true),
        ] as [([BiometricOptionsAndroid.Authenticator], Bool, BiometricAccessConstraint, Bool)])
    func android(
        constraint: [BiometricOptionsAndroid.Authenticator], isInvalidated: Bool,
        expected: BiometricAccessConstraint, acceptsPIN: Bool
    ) throws {
        let options = try BiometricOptions(
            BiometricOptionsAndroid(
                title: "Biometric Authentication", constraint: constraint,
                invalidatedByBiometricEnrollment: isInvalidated))
        #expect(options.constraint == expected)
        #expect((options.policy == .deviceOwnerAuthentication) == acceptsPIN)
        #expect((KeyVerification.of(options) == .biometricOrPIN) == acceptsPIN)
    }

    @Test("the texts of Android's dialog reach the prompt; empty ones are left to the device")
    func texts() throws {
        let all = try BiometricOptions(
            BiometricOptionsAndroid(
                title: "Biometric Authentication", subtitle: "Biometric authentication",
                description: "Use biometric to authenticate", negativeButtonText: "Cancel"))
        #expect(
            all.prompt
                == UnlockPrompt(
                    reason: "Use biometric to authenticate",
                    texts: PromptTexts(
                        title: "Biometric Authentication", subtitle: "Biometric authentication",
                        details: "Use biometric to authenticate", cancelTitle: "Cancel")))
        let few = try BiometricOptions(BiometricOptionsAndroid(title: "Sign in"))
        #expect(
            few.prompt == UnlockPrompt(reason: "Sign in", texts: PromptTexts(title: "Sign in")))
    }

    @Test("a constraint without an authenticator is refused")
    func empty() {
        #expect(throws: DeviceError(.badArgument, "")) {
            try BiometricOptions(BiometricOptionsAndroid(title: "Sign in", constraint: []))
        }
    }

    @Test("Android's constants have their documented values")
    func constants() {
        #expect(
            BiometricOptionsAndroid.Authenticator.allCases.map(\.rawAndroidValue)
                == [15, 255, 32_768])
    }

    @Test(
        "the passcode needs the consent of the key and of the prompt",
        arguments: BiometricAccessConstraint.allCases)
    func narrowing(_ constraint: BiometricAccessConstraint) {
        let biometrics = BiometricPolicy.deviceOwnerAuthenticationWithBiometrics,
            owner = BiometricPolicy.deviceOwnerAuthentication
        #expect(owner.narrowed(to: owner, constraint) == owner)
        #expect(
            owner.narrowed(to: biometrics, constraint)
                == (constraint == .userPresence ? owner : biometrics))
        #expect(biometrics.narrowed(to: owner, constraint) == biometrics)
        #expect(biometrics.narrowed(to: biometrics, constraint) == biometrics)
    }
}
