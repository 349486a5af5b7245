internal import Foundation
public import MienCore
public import MienKeys

/// Device keys for journeys. They answer the steps `registerNativeBiometrics`,
/// `nativeBiometricsAuthentication`, and `nativeBiometricsTransactionSigning`.
///
///     let biometrics = NativeBiometrics(device, application: "shop")
///     let result = try await biometrics.registerNativeBiometrics(username: user)
///     try await step.respond(.clientInput, result.data)
public struct NativeBiometrics: Sendable {
    /// The answer to a registration step.
    public struct Registration: Sendable, Hashable {
        public let publicKeyId: String
        /// SubjectPublicKeyInfo in base64.
        public let publicKey: String
        let os: String

        /// The data of the answer.
        public var data: JSONValue {
            [
                "publicKey": .string(publicKey), "publicKeyId": .string(publicKeyId),
                "os": .string(os),
            ]
        }
    }

    /// The answer to an authentication or transaction step.
    public struct Proof: Sendable, Hashable {
        public let publicKeyId: String
        /// r and s in base64url.
        public let signature: String

        /// The data of the answer.
        public var data: JSONValue {
            ["publicKeyId": .string(publicKeyId), "signature": .string(signature)]
        }
    }

    private let device: BiometricDevice
    private let prefix: String

    /// - Parameter application: The app's id on the server. Keys of other apps are not touched.
    public init(_ device: BiometricDevice, application: String) {
        self.device = device
        prefix = "mien.journey.\(KeyMark.of(application))."
    }

    /// Creates a key for the user. An earlier key is deleted.
    ///
    /// - Parameter username: The app's own name for the user, the same each time. Do not pass the
    ///   step's `user_identifier`, which is the account's id here and the typed text in
    ///   authentication steps.
    /// - Throws: `DeviceError` with the obstacle.
    public func registerNativeBiometrics(
        username: String, constraint: BiometricAccessConstraint = .biometryCurrentSet
    ) async throws -> Registration {
        if let obstacle = try await device.authenticator.capability().obstacle(
            to: .deviceOwnerAuthenticationWithBiometrics)
        {
            throw obstacle
        }
        try await deleteNativeBiometrics(username: username)
        var generator = SystemRandomNumberGenerator()
        let keyID = Base64URL.encode(generator.bytes(16))
        let key = try await device.keys.makeKey(
            tag: DeviceKeyTag(prefix + "\(KeyMark.of(username)).\(keyID)"), protection: constraint)
        return Registration(
            publicKeyId: keyID, publicKey: Data(key.spki).base64EncodedString(), os: device.system)
    }

    /// Asks the user to unlock the key, and signs the challenge.
    ///
    /// - Parameters:
    ///   - username: The name passed at registration.
    ///   - challenge: The step's challenge; for a transaction, its `transaction_challenge`. Show
    ///     the user its `approval_data` first.
    /// - Throws: `DeviceError` `.biometricPrivateKeyNotFound` if this user has no key here;
    ///   `.cancel` and other codes if the key was not unlocked.
    public func authenticateNativeBiometrics(
        username: String, challenge: String, localizedReason: String = "Sign in",
        policy: BiometricPolicy = .deviceOwnerAuthenticationWithBiometrics
    ) async throws -> Proof {
        guard let tag = try await tags(username).last else {
            throw DeviceError(
                .biometricPrivateKeyNotFound,
                "This user has no key on this device. Register one first.")
        }
        let signature = try await device.keys.sign(
            Array(challenge.utf8), tag: tag,
            unlocking: UnlockPrompt(reason: localizedReason, policy: policy))
        return Proof(publicKeyId: KeyMark.keyID(tag), signature: Base64URL.encode(signature))
    }

    public func isRegistered(username: String) async throws -> Bool {
        try await !tags(username).isEmpty
    }

    /// Deletes the user's key, if there is one.
    public func deleteNativeBiometrics(username: String) async throws {
        for tag in try await tags(username) { try await device.keys.deleteKey(tag: tag) }
    }

    private func tags(_ username: String) async throws -> [DeviceKeyTag] {
        let prefix = prefix + "\(KeyMark.of(username))."
        return try await device.keys.listTags().filter { $0.text.hasPrefix(prefix) }
    }
}

/// Short marks that name an app or a user in tags.
enum KeyMark {
    /// Returns 16 characters that stand for a text. They are not secret.
    static func of(_ text: String) -> String {
        // FNV-1a: the marks only have to differ.
        let value = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns the last part of a tag.
    static func keyID(_ tag: DeviceKeyTag) -> String {
        String(tag.text.split(separator: ".").last ?? "")
    }
}
