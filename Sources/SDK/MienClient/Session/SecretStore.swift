internal import MienCore

/// A store of the operating system for an app's secrets.
protocol SecretStore: Sendable {
    func read(_ name: SecretName) async throws -> Sensitive<String>?
    /// Stores a secret and replaces an earlier one.
    func write(_ secret: Sensitive<String>, as name: SecretName) async throws
    func remove(_ name: SecretName) async throws
}

/// The name of a secret: what it is for, and the app and server it belongs to.
struct SecretName: Sendable, Hashable {
    enum Kind: String, Sendable { case tokens, key, device }

    /// The app's name for its secrets.
    let service: String
    let kind: Kind
    let owner: DeviceTokenKey
}

/// An error that the operating system's store of secrets cannot be used.
public struct SecretStoreError: Error, Sendable, CustomStringConvertible {
    public let reason: String
    public var description: String { reason }
}
