internal import MienAPI
package import MienCore
internal import MienKeys
package import MienVault

/// The device's PIN. Each guess is counted durably before it is judged.
package struct DevicePasscode: Sendable {
    let state: StateFile
    let hasher: any PINHasher
    let random: RandomSource
    let now: @Sendable () -> Instant

    func isSet() throws -> Bool { try state.read().passcode != nil }

    /// Sets or changes the PIN.
    ///
    /// - Parameter old: The current PIN, if one is set.
    package func set(_ new: DevicePIN, replacing old: Sensitive<String>?) throws {
        if try isSet() { try judge(old ?? Sensitive(""), of: nil) }
        let hash = try hasher.hash(new.digits, salt: random.bytes(PINCipher.saltSize))
        try state.update { $0.passcode = .init(hash: hash) }
    }

    /// - Parameter person: The person whose wrong faces are forgotten after the right PIN.
    /// - Throws: `DeviceError` `.biometricNoPasscode`, `.wrongPasscode`, `.passcodeLockout`,
    ///   `.storage`.
    package func judge(_ typed: Sensitive<String>, of person: PersonName?) throws {
        let time = now()
        let hash: String = try state.update { state in
            guard var passcode = state.passcode else {
                throw DeviceError(.biometricNoPasscode, "Set a passcode first.")
            }
            guard passcode.counter.begin(under: AuthenticatorState.passcodePolicy, at: time) else {
                throw Self.locked(passcode)
            }
            state.passcode = passcode
            return passcode.hash
        }
        guard hasher.verify(typed, against: hash) else {
            throw DeviceError(.wrongPasscode, "The passcode is wrong.")
        }
        try state.update { state in
            guard state.passcode?.hash == hash else {
                throw DeviceError(.wrongPasscode, "The passcode was changed meanwhile.")
            }
            state.passcode?.counter.succeed(under: AuthenticatorState.passcodePolicy)
            guard let person else { return }
            try state.change(person, random) { $0.faceFailures = 0 }
        }
    }

    private static func locked(_ passcode: AuthenticatorState.Passcode) -> DeviceError {
        if passcode.isDisabled {
            return DeviceError(
                .passcodeLockout,
                "Too many wrong passcodes. The passcode is disabled until the authenticator is reset."
            )
        }
        return DeviceError(.passcodeLockout, "Too many wrong passcodes. Try again in a minute.")
    }
}
