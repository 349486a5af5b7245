public import MienCore

extension AuthenticatorType {
    public var defaultLockPolicy: LockPolicy { self == .face ? .face : .secret }

    /// The `amr` word: RFC 8176, and `face` from its registry.
    public var method: String {
        switch self {
        case .password: "pwd"
        case .face: "face"
        case .nativeBiometrics: "hwk"
        case .emailCode, .otp: "otp"
        // Not “hwk”: a passkey may leave the hardware it was made in.
        case .passkey: "pop"
        // RFC 8176 has no word for it. In none of AuthenticationContext's sets, so it never counts
        // as a kind of proof beside another one.
        case .recoveryCode: "x_recovery_code"
        }
    }

    /// Whether one belongs to one app: a face, a device key and a token do. A password is the
    /// account's, and so is a passkey: browsers tie it to the server's domain, which all apps
    /// share.
    public var isPerApp: Bool { self == .face || self == .nativeBiometrics || self == .otp }
}
