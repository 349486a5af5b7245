/// Key pairs (ECDSA on P-256) whose private halves stay on this device and sign only after a local
/// check.
public protocol DeviceKeyProvider: Sendable {
    /// Makes a key. Asks the person nothing.
    ///
    /// - Returns: the public half.
    /// - Throws: ``DeviceError``: `.tagInUse`; what stands in the way of the check that the key
    ///   will ask for.
    func makeKey(tag: DeviceKeyTag, protection: BiometricAccessConstraint) async throws
        -> DevicePublicKey

    /// - Throws: ``DeviceError`` `.biometricPrivateKeyNotFound`.
    func publicKey(tag: DeviceKeyTag) async throws -> DevicePublicKey

    /// Asks the person, then signs the message's SHA-256. A key whose constraint is a biometric one
    /// never takes the passcode, whatever the prompt says.
    ///
    /// - Returns: r and s, 32 bytes each.
    /// - Throws: ``DeviceError``; `.biometricPrivateKeyNotFound` also for a key of
    ///   `biometryCurrentSet` after another enrolment, and the key is then gone;
    ///   `CancellationError`.
    func sign(_ message: [UInt8], tag: DeviceKeyTag, unlocking prompt: UnlockPrompt) async throws
        -> [UInt8]

    /// Removes a key; one that is not there is no error.
    func deleteKey(tag: DeviceKeyTag) async throws

    /// The tags of all keys, sorted.
    func listTags() async throws -> [DeviceKeyTag]
}

/// What a key is called on its device: 1…128 of `A-Z a-z 0-9 . _ -`, such as
/// `com.example.app.biometric.3f2a`.
public struct DeviceKeyTag: Sendable, Hashable, Comparable, Codable {
    public static let sizeRange = 1...128

    public let text: String

    /// - Throws: ``DeviceError`` `.badArgument`.
    public init(_ text: String) throws(DeviceError) {
        guard Self.sizeRange.contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else {
            throw DeviceError(
                .badArgument, "a key's tag is 1 to 128 of the characters A-Z a-z 0-9 . _ -")
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
