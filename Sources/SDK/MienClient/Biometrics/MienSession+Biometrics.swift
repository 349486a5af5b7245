internal import MienCore
public import MienKeys

/// Biometric login: a device key, unlocked by its owner's biometrics, signs the user in.
extension MienSession {
    private static let type = "vnd.authgear.biometric-request"
    private static let grant = "urn:authgear:params:oauth:grant-type:biometric-request"

    /// Checks that this device supports biometric login. Call it before the other methods here.
    ///
    /// - Throws: `DeviceError` with the obstacle: `.biometricNotSupportedOrPermissionDenied`,
    ///   `.biometricNoPasscode`, `.biometricNoEnrollment`, or `.biometricLockout`.
    public func checkBiometricSupported(
        policy: BiometricPolicy = .deviceOwnerAuthenticationWithBiometrics
    ) async throws {
        if let obstacle = try await device().authenticator.capability().obstacle(to: policy) {
            throw obstacle
        }
    }

    /// Checks that this device supports biometric login with these options.
    ///
    /// - Throws: as ``checkBiometricSupported(policy:)``.
    public func checkBiometricSupported(_ options: BiometricOptions) async throws {
        try await checkBiometricSupported(policy: options.policy)
    }

    /// Whether this device has a key for this app. It stays true when the enrolled face is gone;
    /// ``checkBiometricSupported(policy:)`` detects that.
    public func isBiometricEnabled() async throws -> Bool { try await !enabledTags().isEmpty }

    /// Creates a key and registers it for the signed-in user. Earlier keys are removed.
    ///
    /// A new key needs a fresh sign-in: see ``performing(_:)``. The user is then asked to unlock a
    /// key twice.
    ///
    /// - Throws: `DeviceError`; ``MienError`` `.unauthenticatedUser`, `.networkError`,
    ///   `.oauthError`, or `.reauthenticationRequired`. After an error, no new key remains on the
    ///   device.
    public func enableBiometric(
        localizedReason: String, constraint: BiometricAccessConstraint = .biometryCurrentSet,
        policy: BiometricPolicy = .deviceOwnerAuthenticationWithBiometrics
    ) async throws {
        try await enableBiometric(
            BiometricOptions(
                localizedReason: localizedReason, constraint: constraint, policy: policy))
    }

    /// Creates a key and registers it for the signed-in user, with an attestation if the device can
    /// attest keys.
    ///
    /// - Throws: as ``enableBiometric(localizedReason:constraint:policy:)``.
    public func enableBiometric(_ options: BiometricOptions) async throws {
        try await performing { try await self.makeBiometricKey(options) }
    }

    private func makeBiometricKey(_ options: BiometricOptions) async throws {
        let device = try device(), access = try await access()
        try await checkBiometricSupported(options)
        let before = try await enabledTags()
        var generator = SystemRandomNumberGenerator()
        let keyID = Base64URL.encode(generator.bytes(16))
        let tag = try DeviceKeyTag("\(tagPrefix)\(try await userMark()).\(keyID)")
        let challenge = try await challenge()
        let made = try await device.keys.makeKey(
            DeviceKeyRequest(
                tag: tag, protection: options.constraint, policy: options.policy,
                challenge: challenge))
        do {
            let key = try await device.keys.unlock(tag: tag, options.prompt)
            var claims: [String: JSONValue] = [:]
            claims["attestation"] = made.attestation?.json
            let request = try await signedRequest(
                "setup", key, keyID: keyID, challenge: challenge, claims,
                verification: KeyVerification.of(options))
            _ = try await connection.form(
                ["oauth2", "token"], client([("grant_type", Self.grant), ("jwt", request)]),
                access: access)
        } catch {
            // The server may or may not know the key. In either case nothing will use it.
            try? await device.keys.deleteKey(tag: tag)
            throw error
        }
        for old in before {
            try await device.keys.deleteKey(tag: old)
            try? await removeFromServer(old)
        }
    }

    /// Signs in with the device's key.
    ///
    /// - Throws: `DeviceError` `.biometricPrivateKeyNotFound` if the device has no key, if the
    ///   enrolled face changed, or if the server no longer accepts the key. The key is gone then;
    ///   create another with ``enableBiometric(localizedReason:constraint:policy:)``. `DeviceError`
    ///   `.cancel` and other codes if the user did not unlock the key. ``MienError``
    ///   `.networkError`, `.oauthError`.
    @discardableResult
    public func authenticateBiometric(
        localizedReason: String = "Sign in",
        policy: BiometricPolicy = .deviceOwnerAuthenticationWithBiometrics
    ) async throws -> UserInfo {
        try await authenticateBiometric(
            BiometricOptions(localizedReason: localizedReason, policy: policy))
    }

    /// Signs in with the device's key. The tokens say whether a biometric or the device's passcode
    /// unlocked it: `amr` contains `x_biometric` or `pin`.
    ///
    /// - Throws: as ``authenticateBiometric(localizedReason:policy:)``.
    @discardableResult
    public func authenticateBiometric(_ options: BiometricOptions) async throws -> UserInfo {
        try await checkBiometricSupported(options)
        guard let tag = try await enabledTags().last else {
            throw DeviceError(
                .biometricPrivateKeyNotFound,
                "This device has no key for this app. Enable biometric login first.")
        }
        let key = try await device().keys.unlock(tag: tag, options.prompt)
        let request = try await signedRequest(
            "authenticate", key, keyID: KeyMark.keyID(tag), challenge: challenge(),
            ["user_verification": .string(key.method.unlock.rawValue)])
        do {
            // The device token keeps wrong signatures of strangers from locking this device out.
            let known = try? await self.options.deviceTokens.token(for: self.key)
            // Without a device token, any other text requests one.
            let token = known?.use { $0 } ?? "new"
            let prover = try await signInProver()
            try await adopt(
                try await self.request(
                    [("grant_type", Self.grant), ("jwt", request), ("device_token", token)],
                    prover: prover))
        } catch let error as MienError
            where error.oauthError == "invalid_grant" && error.reason.contains("InvalidCredentials")
        {
            try await device().keys.deleteKey(tag: tag)
            throw DeviceError(
                .biometricPrivateKeyNotFound,
                "The server no longer accepts this device's key. Enable biometric login again.")
        }
        return try await userInfo()
    }

    /// Deletes the device's key. Then removes it from the server if a user is signed in and the
    /// server can be reached.
    ///
    /// Removing a key needs a fresh sign-in: see ``performing(_:)``.
    ///
    /// - Throws: ``MienError`` `.reauthenticationRequired` and errors of the reauthenticator. The
    ///   key is then gone from this device but still listed on the server, where it is useless.
    public func disableBiometric() async throws {
        let tags = try await enabledTags()
        for tag in tags { try await device().keys.deleteKey(tag: tag) }
        guard state == .signedIn else { return }
        for tag in tags {
            do { try await performing { try await self.removeFromServer(tag) } } catch let error
                as MienError where error.reauthentication == nil
            {}
        }
    }

    /// Deletes the keys of users other than the one who just signed in.
    func forgetOthersKeys() async throws {
        guard biometrics != nil else { return }
        let mark = try await userMark()
        for tag in try await enabledTags()
        where !tag.text.dropFirst(tagPrefix.count).hasPrefix("\(mark).") {
            try await device().keys.deleteKey(tag: tag)
        }
    }

    // MARK: Keys

    private func device() throws(MienError) -> BiometricDevice {
        guard let biometrics else {
            throw MienError(
                .invalidInitializationOptions, "The session was created without a BiometricDevice.")
        }
        return biometrics
    }

    /// `mien.<app on server>.`, then `<user>.<key id>`.
    private var tagPrefix: String {
        "mien.\(KeyMark.of("\(connection.address.text) \(options.applicationId)"))."
    }

    private func enabledTags() async throws -> [DeviceKeyTag] {
        let prefix = tagPrefix
        return try await device().keys.listTags().filter { $0.text.hasPrefix(prefix) }
    }

    /// The mark that stands for the user in tags.
    private func userMark() async throws -> String { KeyMark.of(try await userInfo().sub) }

    private func removeFromServer(_ tag: DeviceKeyTag) async throws {
        let access = try await access()
        try await connection.send(
            .init(
                method: .delete, path: ["v1", "me", "biometrics", KeyMark.keyID(tag)],
                access: access))
    }

    /// - Parameter verification: What unlocks the key, for a setup.
    private func signedRequest(
        _ action: String, _ key: UnlockedKey, keyID: String, challenge: String,
        _ claims: [String: JSONValue], verification: KeyVerification? = nil
    ) async throws -> String {
        let device = try device(), now = Double(self.now().seconds)
        var names: [String: JSONValue] = [
            "model": .string(device.model), "os": .string(device.system),
        ]
        if let id = device.deviceID { names["device_id"] = .string(id) }
        names["user_verification"] = verification.map { .string($0.rawValue) }
        let payload: [String: JSONValue] = [
            "iat": .number(now), "exp": .number(now + 60), "challenge": .string(challenge),
            "action": .string(action),
            "aud": .string(try await server().issuer),
            "client_id": .string(options.applicationId),
            "device_info": ["mien": .object(names)],
        ]
        var header: [String: JSONValue] = ["typ": .string(Self.type), "kid": .string(keyID)]
        if action == "setup" { header["jwk"] = key.publicKey.jwk }
        let body = JSONText.write(.object(payload.merging(claims) { $1 }))
        return try await JWS.sign(header: header, payload: Array(body.utf8), with: key)
    }

    private func challenge() async throws -> String {
        let body = Array(JSONText.write(["purpose": "biometric_request"]).utf8)
        let answer: JSONValue = try await connection.json(
            .init(method: .post, path: ["oauth2", "challenge"], body: body))
        guard let token = answer["result"]?["token"]?.stringValue else {
            throw MienError(.serverError, "The response contains no challenge.")
        }
        return token
    }
}
