/// The master keys of a server. The keys themselves never leave it.
public struct MasterKeysAnswer: Sendable, Hashable, Codable {
    /// By rising version; the last one seals.
    public var keys: [MasterKeyAnswer]
    /// Whether a rotation is not complete: a key is being handed to the servers, or records of earlier
    /// keys are being sealed under the last one.
    public var isSealing: Bool
    /// The key that will seal once every living server has stored it. Only where servers share a database.
    public var next: NextMasterKeyAnswer?
    /// The servers that a rotation, or the removal of a key, waits for; absent if there are none.
    public var waitsFor: [WaitingServerAnswer]?

    public init(
        keys: [MasterKeyAnswer], isSealing: Bool, next: NextMasterKeyAnswer? = nil,
        waitsFor: [WaitingServerAnswer]? = nil
    ) {
        (self.keys, self.isSealing, self.next, self.waitsFor) = (keys, isSealing, next, waitsFor)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case keys, next, isSealing = "is_sealing", waitsFor = "waits_for"
    }
}

/// A master key that is being handed to the servers.
public struct NextMasterKeyAnswer: Sendable, Hashable, Codable {
    /// Larger than that of all earlier keys.
    public var version: Int
    /// 16 hexadecimal digits that identify the key and do not reveal it.
    public var id: String

    public init(version: Int, id: String) { (self.version, self.id) = (version, id) }

    public enum CodingKeys: String, CodingKey, CaseIterable { case version, id }
}

/// A server that a rotation of the master key waits for.
public struct WaitingServerAnswer: Sendable, Hashable, Codable {
    /// The name of the process among the servers.
    public var name: String
    /// The machine and the process.
    public var host: String
    /// Its fault, such as `has not stored the key yet`.
    public var reason: String

    public init(name: String, host: String, reason: String) {
        (self.name, self.host, self.reason) = (name, host, reason)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case name, host, reason }
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
