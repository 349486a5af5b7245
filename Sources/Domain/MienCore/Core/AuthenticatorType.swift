/// A kind of authenticator: something that users prove themselves with.
public enum AuthenticatorType: String, WireWord {
    case password
    case face
    /// A key pair behind the device's biometrics.
    case nativeBiometrics = "native_biometrics"
    /// Codes sent to the user's email address.
    case emailCode = "email_code"
    /// A WebAuthn credential in a browser, on a phone, or on a security key.
    case passkey
    /// An OTP token: codes that a device computes from a secret it shares with the server.
    case otp
    /// A set of single-use codes that restore access to the account.
    case recoveryCode = "recovery_code"
}
