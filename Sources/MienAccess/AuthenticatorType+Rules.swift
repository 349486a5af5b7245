public import MienCore

extension AuthenticatorType {
    public var defaultLockPolicy: LockPolicy { self == .face ? .face : .secret }

    /// The `amr` word: RFC 8176, and `face` from its registry.
    public var method: String {
        switch self {
        case .password: "pwd"
        case .face: "face"
        case .nativeBiometrics: "hwk"
        case .emailCode: "otp"
        }
    }

    /// Whether one belongs to one app: a face and a device key do, a password is the account's.
    public var isPerApp: Bool { self == .face || self == .nativeBiometrics }
}
