/// A store of key pairs (ECDSA on P-256) whose private halves stay on this device and sign only
/// after a local check.
public protocol DeviceKeyProvider: Sendable {
    /// Creates a key without prompting the person.
    ///
    /// - Returns: the public half, and an attestation if the request has a challenge and the device
    ///   can attest keys.
    /// - Throws: ``DeviceError``: `.tagInUse`, or the reason the check that the key will require is
    ///   unavailable.
    func makeKey(_ request: DeviceKeyRequest) async throws -> MadeDeviceKey

    /// Returns the public half of a key.
    ///
    /// - Throws: ``DeviceError`` `.biometricPrivateKeyNotFound`.
    func publicKey(tag: DeviceKeyTag) async throws -> DevicePublicKey

    /// Prompts the person, then returns the key for one signature. The passcode is accepted if both
    /// the key and the prompt allow it: see ``BiometricPolicy/narrowed(to:_:)``.
    ///
    /// - Throws: ``DeviceError``; `.biometricPrivateKeyNotFound` also for a key with
    ///   `biometryCurrentSet` after a change of enrollment, which removes the key;
    ///   `CancellationError`.
    func unlock(tag: DeviceKeyTag, _ prompt: UnlockPrompt) async throws -> UnlockedKey

    /// Removes a key. Does nothing if it does not exist.
    func deleteKey(tag: DeviceKeyTag) async throws

    /// Returns the tags of all keys, sorted.
    func listTags() async throws -> [DeviceKeyTag]
}

extension DeviceKeyProvider {
    /// Creates a key without an attestation.
    ///
    /// - Returns: the public half.
    public func makeKey(
        tag: DeviceKeyTag, protection: BiometricAccessConstraint,
        policy: BiometricPolicy = .deviceOwnerAuthenticationWithBiometrics
    ) async throws -> DevicePublicKey {
        try await makeKey(DeviceKeyRequest(tag: tag, protection: protection, policy: policy))
            .publicKey
    }

    /// Prompts the person, then signs the message's SHA-256.
    ///
    /// - Returns: r and s, 32 bytes each.
    /// - Throws: as ``unlock(tag:_:)``.
    public func sign(
        _ message: [UInt8], tag: DeviceKeyTag, unlocking prompt: UnlockPrompt
    ) async throws -> [UInt8] {
        try await unlock(tag: tag, prompt).sign(message)
    }
}

/// The name of a key on its device: 1…128 of the characters `A-Z a-z 0-9 . _ -`, such as
/// `com.example.app.biometric.3f2a`.
public struct DeviceKeyTag: Sendable, Hashable, Comparable, Codable {
    public static let sizeRange = 1...128

    public let text: String

    /// - Throws: ``DeviceError`` `.badArgument`.
    public init(_ text: String) throws(DeviceError) {
        guard Self.sizeRange.contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else {
            throw DeviceError(
                .badArgument, "a key's tag must have 1 to 128 of the characters A-Z a-z 0-9 . _ -")
        }
        self.text = text
    }

    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    public static func < (a: Self, b: Self) -> Bool { a.text < b.text }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
