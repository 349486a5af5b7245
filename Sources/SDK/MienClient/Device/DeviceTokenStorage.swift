public import MienCore

/// Stores the device token, which shows a server that its user has signed in on this device before.
///
/// Strangers who guess at the user's account cannot lock out a known device. Losing the device
/// token loses only this protection.
public protocol DeviceTokenStorage: Sendable {
    func token(for key: DeviceTokenKey) async throws -> Sensitive<String>?
    /// Stores the device token and replaces an earlier one.
    func store(_ token: Sensitive<String>, for key: DeviceTokenKey) async throws
    func remove(_ key: DeviceTokenKey) async throws
}

/// The app and server that a device token belongs to.
public struct DeviceTokenKey: Sendable, Hashable {
    public let server: String
    public let application: String

    public init(server: String, application: String) {
        (self.server, self.application) = (server, application)
    }
}

/// Keeps device tokens in memory until the process ends.
public actor MemoryDeviceTokens: DeviceTokenStorage {
    private var tokens: [DeviceTokenKey: Sensitive<String>] = [:]

    public init() {}

    public func token(for key: DeviceTokenKey) -> Sensitive<String>? { tokens[key] }
    public func store(_ token: Sensitive<String>, for key: DeviceTokenKey) { tokens[key] = token }
    public func remove(_ key: DeviceTokenKey) { tokens[key] = nil }
}
