import MienAPI
import MienCore
import Testing

@Suite struct AuthenticatorRulesTests {
    private static let everything = SignInMeans(
        requested: Set(AuthenticatorType.allCases), acceptsPasskeys: true, acceptsDeviceKeys: true)
    private static let nothing = SignInMeans(
        requested: [], acceptsPasskeys: false, acceptsDeviceKeys: false)
    private static let attested = AuthenticatorFacts(
        isAttested: true, userVerification: .biometricOrPIN)

    @Test func `an authenticator raises assurance as far as an app lets its users sign in with it`()
    {
        let allowed = AuthenticatorType.allCases.map {
            ($0, $0.rules.methods(of: Self.attested, through: Self.everything))
        }
        #expect(
            Dictionary(uniqueKeysWithValues: allowed) == [
                .password: ["pwd"], .face: ["face"], .nativeBiometrics: ["hwk", "mfa"],
                .emailCode: [], .passkey: ["pop", "mfa"], .otp: ["otp"], .recoveryCode: [],
            ])
        for type in AuthenticatorType.allCases where type != .password {
            #expect(type.rules.methods(of: Self.attested, through: Self.nothing).isEmpty)
        }
    }

    @Test(arguments: [KeyUserVerification?.none] + KeyUserVerification.allCases)
    func `a device key without attestation raises nothing`(verification: KeyUserVerification?) {
        let key = AuthenticatorFacts(isAttested: false, userVerification: verification)
        #expect(DeviceKeyRules.methods(of: key, through: Self.everything).isEmpty)
        #expect(DeviceKeyRules.proved(by: key).first == "pop")
        #expect(!DeviceKeyRules.proved(by: key).contains("mfa"))
    }

    @Test func `only a key that nothing but a biometric opens claims a biometric`() {
        for verification in [KeyUserVerification?.none] + KeyUserVerification.allCases {
            for isAttested in [false, true] {
                let proved = DeviceKeyRules.proved(
                    by: AuthenticatorFacts(
                        isAttested: isAttested, userVerification: verification))
                #expect(proved.contains("x_biometric") == (verification == .biometric))
            }
        }
    }

    @Test func `after a PIN a device key claims no biometric, and no statement raises assurance`() {
        for verification in [KeyUserVerification?.none] + KeyUserVerification.allCases {
            for isAttested in [false, true] {
                let key = AuthenticatorFacts(
                    isAttested: isAttested, userVerification: verification)
                let pin = DeviceKeyRules.proved(by: key, unlockedBy: .pin),
                    biometric = DeviceKeyRules.proved(by: key, unlockedBy: .biometric)
                #expect(pin.contains("pin") && !pin.contains("x_biometric"))
                #expect(!biometric.contains("pin"))
                #expect(
                    biometric.contains("x_biometric")
                        == [.biometric, .biometricOrPIN].contains(verification))
                let isVerified = isAttested && [.biometric, .biometricOrPIN].contains(verification)
                for methods in [pin, biometric] {
                    #expect(
                        AuthenticationContext.assurance(of: methods)
                            == (isVerified ? .multiFactor : .singleFactor), "\(methods)")
                }
            }
        }
    }

    @Test func `names have the right article`() {
        #expect(
            AuthenticatorType.allCases.map(\.indefiniteNoun) == [
                "A password", "A face", "A device key", "An email code", "A passkey",
                "A one-time-code token", "A set of recovery codes",
            ])
    }
}
