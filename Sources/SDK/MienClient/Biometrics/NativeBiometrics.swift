internal import Foundation
public import MienCore
public import MienKeys

/// Device keys for journeys: what the steps `registerNativeBiometrics`,
/// `nativeBiometricsAuthentication` and `nativeBiometricsTransactionSigning` are answered with.
///
///     let biometrics = NativeBiometrics(device, application: "shop")
///     let result = try await biometrics.registerNativeBiometrics(username: user)
///     try await step.respond(.clientInput, result.data)
public struct NativeBiometrics: Sendable {
    /// What answers a registration.
    public struct Registration: Sendable, Hashable {
        public let publicKeyId: String
        /// SubjectPublicKeyInfo in base64.
        public let publicKey: String
        let os: String

        /// The step's answer.
        public var data: JSONValue {
            [
                "publicKey": .string(publicKey), "publicKeyId": .string(publicKeyId),
                "os": .string(os),
            ]
        }
    }

    /// What answers an authentication or a transaction.
    public struct Proof: Sendable, Hashable {
        public let publicKeyId: String
        /// r and s in base64url.
        public let signature: String

        /// The step's answer.
        public var data: JSONValue {
            ["publicKeyId": .string(publicKeyId), "signature": .string(signature)]
        }
    }

    private let device: BiometricDevice
    private let prefix: String

    /// - Parameter application: the app's id on the server; keys of other apps are left alone.
    public init(_ device: BiometricDevice, application: String) {
        self.device = device
        prefix = "mien.journey.\(KeyMark.of(application))."
    }

    /// Makes a key for the user; one from before goes.
    ///
    /// - Parameter username: the app's own name for the user, the same each time. Not the step's
    ///   `user_identifier`: that is the account's id here and what was typed there.
    /// - Throws: `DeviceError`: what stands in the way.
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

    /// Asks the person, and signs.
    ///
    /// - Parameters:
    ///   - username: as at registration.
    ///   - challenge: the step's; of a transaction its `transaction_challenge`. Show the person its
    ///     `approval_data` before.
    /// - Throws: `DeviceError` `.biometricPrivateKeyNotFound` when this user has no key here;
    ///   `.cancel` and what else keeps it closed.
    public func authenticateNativeBiometrics(
        username: String, challenge: String, localizedReason: String = "Sign in",
        policy: BiometricPolicy = .deviceOwnerAuthenticationWithBiometrics
    ) async throws -> Proof {
        guard let tag = try await tags(username).last else {
            throw DeviceError(
                .biometricPrivateKeyNotFound,
                "this user has no key on this device: register one first")
        }
        let signature = try await device.keys.sign(
            Array(challenge.utf8), tag: tag,
            unlocking: UnlockPrompt(reason: localizedReason, policy: policy))
        return Proof(publicKeyId: KeyMark.keyID(tag), signature: Base64URL.encode(signature))
    }

    public func isRegistered(username: String) async throws -> Bool {
        try await !tags(username).isEmpty
    }

    /// Forgets the user's key; none is no error.
    public func deleteNativeBiometrics(username: String) async throws {
        for tag in try await tags(username) { try await device.keys.deleteKey(tag: tag) }
    }

    private func tags(_ username: String) async throws -> [DeviceKeyTag] {
        let prefix = prefix + "\(KeyMark.of(username))."
        return try await device.keys.listTags().filter { $0.text.hasPrefix(prefix) }
    }
}

/// How tags name whose key it is.
enum KeyMark {
    /// 16 characters that stand for a text; no secret.
    static func of(_ text: String) -> String {
        // FNV-1a: names need to differ, nothing else.
        let value = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The last part.
    static func keyID(_ tag: DeviceKeyTag) -> String {
        String(tag.text.split(separator: ".").last ?? "")
    }
}
