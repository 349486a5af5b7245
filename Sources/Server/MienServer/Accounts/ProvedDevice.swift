internal import MienCore

/// The known device that a client has proved to be, and its account.
struct ProvedDevice: Codable, Sendable {
    let id: DeviceID
    let account: UserID
}
