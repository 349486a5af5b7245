/// `PUT /v1/me/password`
public struct SetPasswordRequest: Codable, Sendable, Hashable {
    /// The new password.
    public var password: String
    /// The current password. Required to replace one, unless the sign-in recovered the account.
    public var currentPassword: String?
    /// The token of a device on which the user has signed in. The check of the current password
    /// then has its own counter, and the device stays known.
    public var deviceToken: String?

    public init(password: String, currentPassword: String? = nil, deviceToken: String? = nil) {
        (self.password, self.currentPassword, self.deviceToken) = (
            password, currentPassword, deviceToken
        )
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case password, currentPassword = "current_password", deviceToken = "device_token"
    }
}

/// Hides the values, because all of them are secret.
extension SetPasswordRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { "a new password" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
