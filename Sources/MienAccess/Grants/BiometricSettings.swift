/// How an app's users log in with a key of their device's.
public struct BiometricSettings: Sendable, Hashable, Codable {
    public enum Mode: String, Sendable, Hashable, Codable, CaseIterable {
        /// Requests say whom they are for and from, and a device has one key for each user.
        case strict
        /// As older clients send them: without `aud` and `client_id`.
        case compatible
    }

    public enum Attestation: String, Sendable, Hashable, Codable, CaseIterable { case none, required }

    public static let keysRange = 1...30

    public var isEnabled: Bool
    public var mode: Mode
    /// Live keys of one user in this app.
    public var mostKeys: Int
    public var attestation: Attestation

    public init(isEnabled: Bool = true, mode: Mode = .strict, mostKeys: Int = 10, attestation: Attestation = .none) {
        (self.isEnabled, self.mode, self.mostKeys, self.attestation) = (isEnabled, mode, mostKeys, attestation)
    }

    /// What is wrong: name of the setting and words; empty when nothing is.
    public var faults: [(setting: String, message: String)] {
        Self.keysRange.contains(mostKeys) ? [] : [("max_keys", "is 1 to 30")]
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case isEnabled = "enabled", mode, mostKeys = "max_keys", attestation }

    /// The settings' names.
    public static let keys = CodingKeys.allCases.map(\.rawValue)

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self), standard = Self()
        self.init(
            isEnabled: try values.decodeIfPresent(Bool.self, forKey: .isEnabled) ?? standard.isEnabled,
            mode: try values.decodeIfPresent(Mode.self, forKey: .mode) ?? standard.mode,
            mostKeys: try values.decodeIfPresent(Int.self, forKey: .mostKeys) ?? standard.mostKeys,
            attestation: try values.decodeIfPresent(Attestation.self, forKey: .attestation) ?? standard.attestation)
    }
}
