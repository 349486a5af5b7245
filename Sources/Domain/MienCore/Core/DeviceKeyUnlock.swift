/// How a device verified its user before a device key signed, as the app that used the key says.
public enum DeviceKeyUnlock: String, Sendable, Hashable, Codable, CaseIterable {
    /// A face or a finger.
    case biometric
    /// The device's PIN, pattern, or password.
    case pin
}
