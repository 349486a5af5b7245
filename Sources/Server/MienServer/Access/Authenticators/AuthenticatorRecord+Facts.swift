internal import MienAPI
package import MienCore
package import MienStore

extension AuthenticatorRecord {
    /// The stored facts that the rules of its type depend on.
    var facts: AuthenticatorFacts {
        AuthenticatorFacts(
            isAttested: info["attestation"]?.objectValue != nil,
            userVerification: info["user_verification"]?.stringValue.flatMap(
                KeyUserVerification.init(rawValue:)))
    }

    /// The `amr` values that a signature of this device key proves.
    ///
    /// - Parameter unlock: How the app says the device verified its user this time.
    package func deviceKeyMethods(unlockedBy unlock: DeviceKeyUnlock?) -> [String] {
        DeviceKeyRules.proved(by: facts, unlockedBy: unlock)
    }
}
