public import MienCore

/// How an app proves itself, and what that excludes.
extension AppSettings {
    /// The settings that an app of this type cannot have, each with its name and a message.
    public func faults(of type: AppType) -> [(setting: String, message: String)] {
        var faults: [(String, String)] = []
        if type == .public, !requiresPKCE {
            faults.append(
                (
                    "requires_pkce",
                    "must be true for a public app: anybody could redeem its codes. Create a confidential app, whose secret protects them"
                ))
        }
        return faults
    }
}
