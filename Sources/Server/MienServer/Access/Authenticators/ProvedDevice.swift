package import MienCore

/// The known device that a client has proved to be, and its account.
package struct ProvedDevice: Codable, Sendable {
    package let id: DeviceID
    package let account: UserID
}
