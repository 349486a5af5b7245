/// The master keys of a server. The keys themselves never leave it.
public struct MasterKeysAnswer: Sendable, Hashable, Codable {
    /// By rising version; the last one seals.
    public var keys: [MasterKeyAnswer]
    /// Whether records of earlier keys are being sealed under the last one.
    public var isSealing: Bool

    public init(keys: [MasterKeyAnswer], isSealing: Bool) {
        (self.keys, self.isSealing) = (keys, isSealing)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case keys, isSealing = "is_sealing"
    }
}

/// One master key.
public struct MasterKeyAnswer: Sendable, Hashable, Codable {
    /// From 1.
    public var version: Int
    /// 16 hexadecimal digits that identify the key and do not reveal it.
    public var id: String
    /// The number of records that need the key.
    public var records: Int
    /// Whether it seals.
    public var isActive: Bool

    public init(version: Int, id: String, records: Int, isActive: Bool) {
        (self.version, self.id, self.records, self.isActive) = (version, id, records, isActive)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case version, id, records, isActive = "is_active"
    }
}
