/// The settings of biometric login: how an app's users sign in with a device key.
public struct BiometricSettings: Sendable, Hashable, Codable {
    public enum Mode: String, Sendable, Hashable, Codable, CaseIterable {
        /// Requests say whom they are for and from, and a device has one key for each user.
        case strict
        /// Requests as older clients send them, without `aud` and `client_id`.
        case compatible
    }

    public enum Attestation: String, Sendable, Hashable, Codable, CaseIterable {
        /// An attestation is ignored if present.
        case none
        /// An attestation must be valid if present.
        case ifGiven = "if_given"
        case required
    }

    /// The minimum security level of an Android key and of its attestation.
    public enum AndroidLevel: String, Sendable, Hashable, Codable, CaseIterable {
        case trustedEnvironment = "tee", strongBox = "strongbox"
    }

    /// The user authentication required for each use of an Android key.
    public enum AndroidUserAuthentication: String, Sendable, Hashable, Codable, CaseIterable {
        /// A biometric or, where the app allows it, the device's credential.
        case biometric
        case biometricOnly = "biometric_only"
        case any
    }

    public static let keysRange = 1...30, appsRange = 0...16

    public var isEnabled = true
    public var mode = Mode.strict
    /// The maximum number of active keys of one user in this app.
    public var maxKeys = 10
    public var attestation = Attestation.none
    /// `TEAMID.bundle.id`, as App Attest joins them.
    public var appleApps: [String] = []
    /// Whether development builds signed by Xcode are accepted.
    public var takesAppleDevelopment = false
    public var androidApps: [AndroidApp] = []
    public var androidLevel = AndroidLevel.trustedEnvironment
    public var androidUserAuthentication = AndroidUserAuthentication.biometric

    public init(isEnabled: Bool = true, mode: Mode = .strict, maxKeys: Int = 10) {
        (self.isEnabled, self.mode, self.maxKeys) = (isEnabled, mode, maxKeys)
    }

    /// Splits `TEAMID.bundle.id` into team and bundle. The team is ten letters and digits.
    public static func appleApp(_ text: String) -> (team: String, bundle: String)? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 10,
            parts[0].allSatisfy({ $0.isASCII && ($0.isUppercase || $0.isNumber) }),
            (1...155).contains(parts[1].utf8.count),
            parts[1].split(separator: ".", omittingEmptySubsequences: false)
                .allSatisfy({
                    !$0.isEmpty
                        && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
                })
        else { return nil }
        return (String(parts[0]), String(parts[1]))
    }

    /// The invalid settings, each with its name and a message; empty if all are valid.
    public var faults: [(setting: String, message: String)] {
        var faults: [(String, String)] = []
        if !Self.keysRange.contains(maxKeys) { faults.append(("max_keys", "must be 1 to 30")) }
        if attestation != .none, appleApps.isEmpty, androidApps.isEmpty {
            faults.append(
                (
                    "attestation",
                    "needs apple_apps or android_apps to name the accepted apps; otherwise set it to none"
                ))
        }
        if !Self.appsRange.contains(appleApps.count) {
            faults.append(("apple_apps", "must contain at most 16 apps"))
        }
        for (index, app) in appleApps.enumerated() where Self.appleApp(app) == nil {
            faults.append(
                (
                    "apple_apps[\(index)]",
                    "must be a team and a bundle, like ABCDE12345.org.example.app"
                ))
        }
        if !Self.appsRange.contains(androidApps.count) {
            faults.append(("android_apps", "must contain at most 16 apps"))
        }
        for (index, app) in androidApps.enumerated() {
            faults += app.faults.map { ("android_apps[\(index)].\($0.setting)", $0.message) }
        }
        return faults
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case isEnabled = "enabled", mode, maxKeys = "max_keys", attestation, appleApps =
            "apple_apps", takesAppleDevelopment = "apple_development"
        case androidApps = "android_apps", androidLevel = "android_level",
            androidUserAuthentication = "android_user_authentication"
    }

    /// The names of the settings.
    public static let keys = CodingKeys.allCases.map(\.rawValue)

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        func read<Value: Decodable>(_ key: CodingKeys, _ setting: inout Value) throws {
            setting = try values.decodeIfPresent(Value.self, forKey: key) ?? setting
        }
        try read(.isEnabled, &isEnabled)
        try read(.mode, &mode)
        try read(.maxKeys, &maxKeys)
        try read(.attestation, &attestation)
        try read(.appleApps, &appleApps)
        try read(.takesAppleDevelopment, &takesAppleDevelopment)
        try read(.androidApps, &androidApps)
        try read(.androidLevel, &androidLevel)
        try read(.androidUserAuthentication, &androidUserAuthentication)
    }
}
