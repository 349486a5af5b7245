/// How an app's users log in with a key of their device's.
public struct BiometricSettings: Sendable, Hashable, Codable {
    public enum Mode: String, Sendable, Hashable, Codable, CaseIterable {
        /// Requests say whom they are for and from, and a device has one key for each user.
        case strict
        /// As older clients send them: without `aud` and `client_id`.
        case compatible
    }

    public enum Attestation: String, Sendable, Hashable, Codable, CaseIterable {
        /// One that is given is not looked at, and nothing is said of it.
        case none
        /// One that is given has to hold.
        case ifGiven = "if_given"
        case required
    }

    /// The least that an Android key and what attests it live in.
    public enum AndroidLevel: String, Sendable, Hashable, Codable, CaseIterable {
        case trustedEnvironment = "tee", strongBox = "strongbox"
    }

    /// What each use of an Android key asks its user for.
    public enum AndroidUserAuthentication: String, Sendable, Hashable, Codable, CaseIterable {
        /// A biometric or, where the app allows it, the device's credential.
        case biometric
        case biometricOnly = "biometric_only"
        case any
    }

    public static let keysRange = 1...30, appsRange = 0...16

    public var isEnabled = true
    public var mode = Mode.strict
    /// Live keys of one user in this app.
    public var maxKeys = 10
    public var attestation = Attestation.none
    /// `TEAMID.bundle.id`, as App Attest joins them.
    public var appleApps: [String] = []
    /// Whether builds that Xcode signed for development get in.
    public var takesAppleDevelopment = false
    public var androidApps: [AndroidApp] = []
    public var androidLevel = AndroidLevel.trustedEnvironment
    public var androidUserAuthentication = AndroidUserAuthentication.biometric

    public init(isEnabled: Bool = true, mode: Mode = .strict, maxKeys: Int = 10) {
        (self.isEnabled, self.mode, self.maxKeys) = (isEnabled, mode, maxKeys)
    }

    /// Team and bundle of `TEAMID.bundle.id`: the team is ten letters and digits.
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

    /// What is wrong: name of the setting and words; empty when nothing is.
    public var faults: [(setting: String, message: String)] {
        var faults: [(String, String)] = []
        if !Self.keysRange.contains(maxKeys) { faults.append(("max_keys", "is 1 to 30")) }
        if attestation != .none, appleApps.isEmpty, androidApps.isEmpty {
            faults.append(
                (
                    "attestation",
                    "needs apple_apps or android_apps: whose keys are taken; or is none"
                ))
        }
        if !Self.appsRange.contains(appleApps.count) {
            faults.append(("apple_apps", "holds at most 16 apps"))
        }
        for (index, app) in appleApps.enumerated() where Self.appleApp(app) == nil {
            faults.append(
                ("apple_apps[\(index)]", "is a team and a bundle, like ABCDE12345.org.example.app"))
        }
        if !Self.appsRange.contains(androidApps.count) {
            faults.append(("android_apps", "holds at most 16 apps"))
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

    /// The settings' names.
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
