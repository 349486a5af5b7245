internal import Foundation
internal import MienCore

/// Keeps tokens, and the keys they are bound to, where the operating system keeps secrets: in the
/// keychain on Apple's systems, and in the Secret Service on a Linux desktop.
///
///     let storage = await SystemTokenStorage.make(service: "org.example.shop", orFile: path)
public actor SystemTokenStorage: TokenStorage, ProofKeyStorage {
    private let store: any SecretStore
    private let service: String
    /// Whether a change is in progress, and the callers that wait for its end.
    private var isChanging = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ store: any SecretStore, service: String) {
        (self.store, self.service) = (store, service)
    }

    /// Returns a storage in the operating system, or else one in a file that only its owner may
    /// read (0600).
    ///
    /// On Linux, the Secret Service is asked to store a probe first. If its keyring is locked, the
    /// desktop asks the person to unlock it. There is none on most servers and in containers.
    ///
    /// - Parameters:
    ///   - service: The app's name for its secrets.
    ///   - path: The file's path; its folder must exist.
    public static func make(service: String, orFile path: String) async
        -> any TokenStorage & ProofKeyStorage
    {
        #if canImport(Security)
        return SystemTokenStorage(Keychain(), service: service)
        #else
        #if os(Linux)
        let secrets = SecretService()
        if await secrets.isUsable(for: service) {
            return SystemTokenStorage(secrets, service: service)
        }
        #endif
        return PersistentTokenStorage(path: path)
        #endif
    }

    // MARK: Tokens

    public func tokens(for key: DeviceTokenKey) async throws -> SessionTokens? {
        guard let text = try await store.read(name(.tokens, key)) else { return nil }
        // Treat tokens that cannot be read as missing: the user signs in again.
        return text.use { try? JSONDecoder().decode(StoredTokens.self, from: Data($0.utf8)) }?
            .tokens
    }

    public func store(_ tokens: SessionTokens, for key: DeviceTokenKey) async throws {
        try await alone {
            try await store.write(
                Sensitive(Self.text(StoredTokens(tokens))), as: name(.tokens, key))
        }
    }

    public func remove(_ key: DeviceTokenKey) async throws {
        try await alone { try await store.remove(name(.tokens, key)) }
    }

    // MARK: Keys

    /// - Throws: ``SecretStoreError``, also for a key that cannot be read.
    public func proofKey(for key: DeviceTokenKey) async throws -> ProofKey? {
        guard let text = try await store.read(name(.key, key)) else { return nil }
        guard let bytes = text.use({ Base64URL.decode($0) }),
            let proofKey = ProofKey(bytes: Sensitive(bytes))
        else {
            throw SecretStoreError(
                reason:
                    "The stored key of “\(service)” cannot be read. Remove it and sign in again."
            )
        }
        return proofKey
    }

    public func keepProofKey(_ new: ProofKey, for key: DeviceTokenKey) async throws -> ProofKey {
        try await alone {
            if let kept = try await proofKey(for: key) { return kept }
            try await store.write(
                Sensitive(new.bytes.use { Base64URL.encode($0) }), as: name(.key, key))
            return new
        }
    }

    private func name(_ kind: SecretName.Kind, _ owner: DeviceTokenKey) -> SecretName {
        SecretName(service: service, kind: kind, owner: owner)
    }

    private static func text(_ tokens: StoredTokens) -> String {
        String(decoding: Connection.encode(tokens), as: UTF8.self)
    }

    /// Runs a change after all earlier ones.
    private func alone<Value: Sendable>(_ change: () async throws -> Value) async rethrows -> Value
    {
        while isChanging { await withCheckedContinuation { waiting.append($0) } }
        isChanging = true
        defer {
            isChanging = false
            if !waiting.isEmpty { waiting.removeFirst().resume() }
        }
        return try await change()
    }
}
