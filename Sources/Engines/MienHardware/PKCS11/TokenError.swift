internal import CMienSystem
public import MienCore

/// A failure of a PKCS #11 token. Branch on ``code``; show ``reason`` to an operator.
public struct TokenError: CodedError {
    /// Stable codes: logged, documented, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        /// The module cannot be loaded, or is no PKCS #11 module.
        case module = "pkcs11.module"
        /// No token, or more than one, has the label, or it was never set up.
        case absent = "pkcs11.absent"
        /// The PIN is wrong.
        case pin = "pkcs11.pin"
        /// The token accepts no PIN, or would accept none after another wrong one.
        case locked = "pkcs11.locked"
        /// The token has no such key, or one that cannot encrypt and decrypt.
        case key = "pkcs11.key"
        /// The token has not encrypted these bytes under this key.
        case refused = "pkcs11.refused"
        /// Any other error of the token or its module.
        case failed = "pkcs11.failed"
    }

    public let code: Code
    /// Says what is wrong and what to do. Contains no PIN and no key.
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}

extension TokenError {
    /// - Parameter status: a status of the shim: negative ones are its own, others the module's.
    init(_ status: Int32, _ key: TokenKey, _ doing: String) {
        let module = key.module, token = "token “\(key.token)” of \(module)"
        switch Int(status) {
        case mien_token_no_module:
            self.init(
                .module,
                "\(module) cannot be loaded: install the token's PKCS #11 module, or correct key.pkcs11.module"
            )
        case mien_token_not_a_module:
            self.init(.module, "\(module) is a library, but not a PKCS #11 module")
        case mien_token_absent: self.init(.absent, "there is no \(token)")
        case mien_token_ambiguous:
            self.init(
                .absent, "\(module) has several tokens “\(key.token)”: give them different labels")
        case mien_token_without_pin:
            self.init(.absent, "the \(token) has no user PIN yet: initialize it first")
        case mien_token_locked, Self.pinLocked:
            self.init(
                .locked,
                "the \(token) is locked after too many wrong PINs: unlock it with its security officer's PIN"
            )
        case mien_token_last_try:
            self.init(
                .locked,
                "one more wrong PIN would lock the \(token), so none was tried: log in with the right one by other means first, for example with pkcs11-tool --login"
            )
        case mien_token_no_key:
            self.init(
                .key,
                "the \(token) has no key “\(key.key)”: correct key.pkcs11.key, or make one with mien master-key create"
            )
        case mien_token_many_keys:
            self.init(.key, "the \(token) has more than one key “\(key.key)”")
        case mien_token_unusable_key:
            self.init(
                .key,
                "key “\(key.key)” of the \(token) is neither an AES key nor an RSA key pair that encrypts and decrypts"
            )
        case Self.pinIncorrect, Self.pinInvalid, Self.pinLength:
            self.init(.pin, "the PIN for the \(token) is wrong")
        case Self.encryptedInvalid, Self.encryptedLength:
            self.init(
                .refused,
                "key “\(key.key)” of the \(token) has not encrypted this: it is another key with the same name, or the data was changed"
            )
        default:
            self.init(
                .failed,
                "\(doing) with the \(token) failed: \(Self.names[status] ?? "CKR_0x\(String(UInt32(bitPattern: status), radix: 16))")"
            )
        }
    }

    // PKCS #11 2.40, "Return values".
    private static let pinIncorrect = 0xA0, pinInvalid = 0xA1, pinLength = 0xA2, pinLocked = 0xA4,
        encryptedInvalid = 0x40, encryptedLength = 0x41

    private static let names: [Int32: String] = [
        0x02: "CKR_HOST_MEMORY", 0x05: "CKR_GENERAL_ERROR", 0x06: "CKR_FUNCTION_FAILED",
        0x30: "CKR_DEVICE_ERROR", 0x31: "CKR_DEVICE_MEMORY", 0x32: "CKR_DEVICE_REMOVED",
        0x54: "CKR_FUNCTION_NOT_SUPPORTED", 0x62: "CKR_KEY_SIZE_RANGE",
        0x68: "CKR_KEY_FUNCTION_NOT_PERMITTED", 0x70: "CKR_MECHANISM_INVALID",
        0x71: "CKR_MECHANISM_PARAM_INVALID", 0xA3: "CKR_PIN_EXPIRED", 0xB1: "CKR_SESSION_COUNT",
        0xB5: "CKR_SESSION_READ_ONLY", 0xE0: "CKR_TOKEN_NOT_PRESENT",
        0xE1: "CKR_TOKEN_NOT_RECOGNIZED", 0xE2: "CKR_TOKEN_WRITE_PROTECTED",
        0x102: "CKR_USER_PIN_NOT_INITIALIZED", 0x150: "CKR_BUFFER_TOO_SMALL",
    ]
}
