internal import Foundation
public import MienCore
public import MienKeys

/// Device keys for journeys. They answer the steps `registerNativeBiometrics`,
/// `nativeBiometricsAuthentication`, and `nativeBiometricsTransactionSigning`.
///
///     let biometrics = NativeBiometrics(device, application: "shop")
///     let result = try await biometrics.registerNativeBiometrics(for: step)
///     try await step.respond(.clientInput, result.data)
///
/// A key is found by every name it was registered with. The step names a signed-in user by the
/// user's ID and lists the names they sign in with; the login step repeats what was typed.
public struct NativeBiometrics: Sendable {
    /// The answer to a registration step.
    public struct Registration: Sendable, Hashable {
        public let publicKeyId: String
        /// SubjectPublicKeyInfo in base64.
        public let publicKey: String
        /// The attestation as text, if the step's challenge was given and the device can attest
        /// keys.
        public let attestation: String?
        let os: String
        let verification: KeyVerification

        /// ``publicKeyId``, as the guide's Kotlin code calls it.
        public func keyId() -> String { publicKeyId }

        /// The data of the answer.
        public var data: JSONValue {
            var data: [String: JSONValue] = [
                "publicKey": .string(publicKey), "publicKeyId": .string(publicKeyId),
                "os": .string(os), "userVerification": .string(verification.rawValue),
            ]
            data["attestation"] = attestation.map { .string($0) }
            return .object(data)
        }
    }

    /// The answer to an authentication or transaction step.
    public struct Proof: Sendable, Hashable {
        public let publicKeyId: String
        /// r and s in base64url.
        public let signature: String
        /// How the device verified its user.
        public let unlock: DeviceKeyUnlock

        /// The data of the answer.
        public var data: JSONValue {
            [
                "publicKeyId": .string(publicKeyId), "signature": .string(signature),
                "userVerification": .string(unlock.rawValue),
            ]
        }
    }

    private let device: BiometricDevice
    private let prefix: String
    /// A tag has room for this many names of a user.
    private static let maxNames = 4

    /// - Parameter application: The app's id on the server. Keys of other apps are not touched.
    public init(_ device: BiometricDevice, application: String) {
        self.device = device
        prefix = "mien.journey.\(KeyMark.of(application))."
    }

    // MARK: Registration

    /// Creates a key for the user. An earlier key of the user is replaced, here and on the server.
    ///
    /// - Parameters:
    ///   - username: A name of the user, such as the step's `user_identifier`.
    ///   - names: Other names of the user that later steps may use, such as the step's `user_names`.
    ///   - challenge: The step's `challenge`, for an attestation.
    ///   - policy: Whether the device's passcode may unlock the key instead of a biometric.
    /// - Throws: `DeviceError` with the obstacle.
    public func registerNativeBiometrics(
        username: String, alsoKnownAs names: [String] = [], challenge: String? = nil,
        constraint: BiometricAccessConstraint = .biometryCurrentSet,
        policy: BiometricPolicy = .deviceOwnerAuthenticationWithBiometrics
    ) async throws -> Registration {
        if let obstacle = try await device.authenticator.capability().obstacle(to: policy) {
            throw obstacle
        }
        var marks: [String] = []
        for mark in ([username] + names).map(KeyMark.of) where !marks.contains(mark) {
            marks.append(mark)
        }
        marks = Array(marks.prefix(Self.maxNames))
        let earlier = try await tags { !Self.marks($0).isDisjoint(with: marks) }
        // The new key takes the ID of the old one, by which the server replaces its record.
        let keyID = earlier.last.map(KeyMark.keyID) ?? Self.newKeyID()
        for tag in earlier { try await device.keys.deleteKey(tag: tag) }
        let made = try await device.keys.makeKey(
            DeviceKeyRequest(
                tag: DeviceKeyTag(prefix + (marks + [keyID]).joined(separator: ".")),
                protection: constraint, policy: policy, challenge: challenge))
        let options = BiometricOptions(
            localizedReason: "", constraint: constraint, policy: policy)
        return Registration(
            publicKeyId: keyID, publicKey: Data(made.publicKey.spki).base64EncodedString(),
            attestation: made.attestation?.text, os: device.system,
            verification: KeyVerification.of(options))
    }

    /// Creates a key for the user of a registration step, under all names that the step contains
    /// and with its challenge.
    ///
    /// - Throws: ``MienError`` `.invalidState` if the step names no user; `DeviceError` with the
    ///   obstacle.
    public func registerNativeBiometrics(
        for step: JourneyStep, constraint: BiometricAccessConstraint = .biometryCurrentSet,
        policy: BiometricPolicy = .deviceOwnerAuthenticationWithBiometrics
    ) async throws -> Registration {
        guard let user = step.data?["user_identifier"]?.stringValue else {
            throw MienError(.invalidState, "This step does not register a device key.")
        }
        return try await registerNativeBiometrics(
            username: user, alsoKnownAs: Self.names(in: step.data),
            challenge: step.data?["challenge"]?.stringValue, constraint: constraint, policy: policy)
    }

    static func names(in data: JSONValue?) -> [String] {
        data?["user_names"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    private static func newKeyID() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode(generator.bytes(16))
    }

    // MARK: Use

    /// Asks the user to unlock the key, and signs the challenge.
    ///
    /// - Parameters:
    ///   - username: A name of the user, such as the step's `user_identifier`. If no key is
    ///     registered under it and the device has only one key of this app, that key signs: the name
    ///     may be another one of the same user. The server decides whether it is.
    ///   - challenge: The step's challenge; for a transaction, its `transaction_challenge`. Show
    ///     the user its `approval_data` first.
    /// - Throws: `DeviceError` `.biometricPrivateKeyNotFound` if this user has no key here;
    ///   `.cancel` and other codes if the key was not unlocked.
    public func authenticateNativeBiometrics(
        username: String, challenge: String, localizedReason: String = "Sign in",
        policy: BiometricPolicy = .deviceOwnerAuthenticationWithBiometrics,
        texts: PromptTexts = PromptTexts()
    ) async throws -> Proof {
        let all = try await tags { _ in true }, mark = KeyMark.of(username)
        guard
            let tag = all.last(where: { Self.marks($0).contains(mark) })
                ?? (all.count == 1 ? all[0] : nil)
        else {
            throw DeviceError(
                .biometricPrivateKeyNotFound,
                "This user has no key on this device. Register one first.")
        }
        let key = try await device.keys.unlock(
            tag: tag, UnlockPrompt(reason: localizedReason, policy: policy, texts: texts))
        let signature = try await key.sign(Array(challenge.utf8))
        return Proof(
            publicKeyId: KeyMark.keyID(tag), signature: Base64URL.encode(signature),
            unlock: key.method.unlock)
    }

    /// Whether a key is registered under this name of a user.
    public func isRegistered(username: String) async throws -> Bool {
        try await !tags(username).isEmpty
    }

    /// Deletes the user's key, if there is one.
    public func deleteNativeBiometrics(username: String) async throws {
        for tag in try await tags(username) { try await device.keys.deleteKey(tag: tag) }
    }

    // MARK: Tags
    // `mien.journey.<app>.`, then the marks of the user's names, then the key's ID.

    private func tags(_ username: String) async throws -> [DeviceKeyTag] {
        let mark = KeyMark.of(username)
        return try await tags { Self.marks($0).contains(mark) }
    }

    private func tags(where isWanted: (DeviceKeyTag) -> Bool) async throws -> [DeviceKeyTag] {
        let prefix = prefix
        return try await device.keys.listTags().filter { $0.text.hasPrefix(prefix) && isWanted($0) }
    }

    private static func marks(_ tag: DeviceKeyTag) -> Set<String> {
        // The first three parts are the prefix, the last one is the key's ID.
        Set(tag.text.split(separator: ".").dropFirst(3).dropLast().map(String.init))
    }
}
