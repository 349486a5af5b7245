public import MienCore

extension AuthenticatorType {
    public var defaultLockPolicy: LockPolicy { self == .face ? .face : .secret }

    /// The `amr` value: RFC 8176, and `face` from its registry.
    public var method: String {
        switch self {
        case .password: "pwd"
        case .face: "face"
        case .nativeBiometrics: "hwk"
        case .emailCode, .otp: "otp"
        // Not “hwk”: a passkey may leave the hardware it was created in.
        case .passkey: "pop"
        // RFC 8176 defines no value for it. None of AuthenticationContext's sets contains this one,
        // so it never counts as a second kind of proof.
        case .recoveryCode: "x_recovery_code"
        }
    }

    /// Whether an authenticator belongs to one app, as faces, device keys, and OTP tokens do. A
    /// password belongs to the account, and so does a passkey: browsers tie it to the server's
    /// domain, which all apps share.
    public var isPerApp: Bool { self == .face || self == .nativeBiometrics || self == .otp }
}
