internal import MienCore

/// Keeps device tokens where the operating system keeps secrets: in the keychain on Apple's systems,
/// and in the Secret Service on a Linux desktop.
struct SystemDeviceTokens: DeviceTokenStorage {
    private let store: any SecretStore
    private let service: String

    /// - Parameter service: The app's name for its secrets.
    init(_ store: any SecretStore, service: String) {
        (self.store, self.service) = (store, service)
    }

    func token(for key: DeviceTokenKey) async throws -> Sensitive<String>? {
        try await store.read(name(key))
    }

    func store(_ token: Sensitive<String>, for key: DeviceTokenKey) async throws {
        try await store.write(token, as: name(key))
    }

    func remove(_ key: DeviceTokenKey) async throws { try await store.remove(name(key)) }

    private func name(_ owner: DeviceTokenKey) -> SecretName {
        SecretName(service: service, kind: .device, owner: owner)
    }
}
