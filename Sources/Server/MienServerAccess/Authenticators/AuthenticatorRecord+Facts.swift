internal import MienAccess
internal import MienCore
internal import MienStore

extension AuthenticatorRecord {
    /// The stored facts that the rules of its type depend on.
    var facts: AuthenticatorFacts {
        AuthenticatorFacts(
            isAttested: info["attestation"]?.objectValue != nil,
            userVerification: info["user_verification"]?.stringValue.flatMap(
                KeyUserVerification.init(rawValue:)))
    }

    /// The `amr` values that a signature of this device key proves.
    package var deviceKeyMethods: [String] { DeviceKeyRules.proved(by: facts) }
}
