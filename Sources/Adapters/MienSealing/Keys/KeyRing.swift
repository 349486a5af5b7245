internal import MienCore

/// The master keys of a server: one that seals, and those before it that still open records.
///
/// A rotation adds a key, which seals from then on. When no record needs an earlier key, it is
/// removed. Codes, such as the hashes of names and tokens, cannot be computed again without the
/// names and tokens, so they keep their own keys (``LookupKeys``) through all rotations.
///
/// Copies share one state, so that every part of a server seals with the new key at once.
public final class KeyRing: Sendable {
    private let state: Locked<[MasterKey]>
    let lookup: LookupKeys

    /// A ring before the first rotation.
    public convenience init(_ only: MasterKey) {
        self.init(keys: [only], lookup: .derived(from: only))
    }

    /// - Parameter keys: at least one, by rising version.
    init(keys: [MasterKey], lookup: LookupKeys) {
        precondition(!keys.isEmpty, "a ring has a key that seals")
        (state, self.lookup) = (Locked(keys), lookup)
    }

    /// The key that seals.
    public var active: MasterKey { state.withLock { $0[$0.count - 1] } }

    /// All keys, by rising version. The last one seals.
    public var keys: [MasterKey] { state.withLock { $0 } }

    /// Returns the key that `record` was sealed under; `nil` if the ring does not have it, or if
    /// the bytes are no sealed record.
    public func key(of record: [UInt8]) -> MasterKey? {
        guard let name = SealedKeyName(of: record) else { return nil }
        return keys.first { $0.name == name }
    }

    /// Returns a code for `message` that only holders of this ring can compute.
    public func code(for message: some Sequence<UInt8>, purpose: SealPurpose) -> [UInt8] {
        lookup.code(for: message, purpose: purpose)
    }

    /// Returns a ring with another key, which seals, and this ring's other keys.
    package func rotated(random: RandomSource = .system) -> KeyRing {
        let keys = keys
        return KeyRing(
            keys: keys + [
                MasterKey(bytes: random.bytes(MasterKey.size), version: active.version + 1)
            ],
            lookup: lookup)
    }

    /// Returns a ring without the key of `version`, which must not be the one that seals.
    package func without(version: UInt32) -> KeyRing {
        KeyRing(
            keys: keys.filter { $0.version != version || $0.name == active.name }, lookup: lookup)
    }

    /// Takes over the keys of a ring that has been stored.
    package func adopt(_ other: KeyRing) {
        let keys = other.keys
        state.withLock { $0 = keys }
    }
}

/// The version and the ID of the key that sealed a record, as the record names them.
public struct SealedKeyName: Sendable, Hashable {
    /// The bytes of a record that contain it.
    static let range = 8..<20
    /// The version, then the ID, as in a record's header.
    public let bytes: [UInt8]

    /// - Returns: `nil` if `record` is too short.
    public init?(of record: [UInt8]) {
        guard record.count >= Self.range.upperBound else { return nil }
        bytes = Array(record[Self.range])
    }

    /// - Returns: `nil` unless there are as many bytes as in a header.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.range.count else { return nil }
        self.bytes = bytes
    }

    fileprivate init(version: UInt32, id: [UInt8]) {
        var writer = ByteWriter()
        writer.put(integer: version)
        writer.put(id)
        bytes = writer.bytes
    }
}

extension MasterKey {
    /// The name of this key in the records that it seals.
    public var name: SealedKeyName { SealedKeyName(version: version, id: id) }
}
