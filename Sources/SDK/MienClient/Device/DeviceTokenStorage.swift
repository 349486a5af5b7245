public import MienCore

/// Where the token is kept that shows a server: its user has signed in on this device before.
///
/// A device that is known cannot be locked out by strangers who guess at its user's account. Losing
/// the token costs that, and nothing else.
public protocol DeviceTokenStorage: Sendable {
    func token(for key: DeviceTokenKey) async throws -> Sensitive<String>?
    /// Replaces what was there.
    func store(_ token: Sensitive<String>, for key: DeviceTokenKey) async throws
    func remove(_ key: DeviceTokenKey) async throws
}

/// Whose token: each app on each server has its own.
public struct DeviceTokenKey: Sendable, Hashable {
    public let server: String
    public let application: String

    public init(server: String, application: String) {
        (self.server, self.application) = (server, application)
    }
}

/// Until the process ends.
public actor MemoryDeviceTokens: DeviceTokenStorage {
    private var tokens: [DeviceTokenKey: Sensitive<String>] = [:]

    public init() {}

    public func token(for key: DeviceTokenKey) -> Sensitive<String>? { tokens[key] }
    public func store(_ token: Sensitive<String>, for key: DeviceTokenKey) { tokens[key] = token }
    public func remove(_ key: DeviceTokenKey) { tokens[key] = nil }
}
