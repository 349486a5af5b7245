internal import MienCore

/// The master keys of a server: one that seals, and those before it that still open records.
///
/// A rotation adds a key, which seals from then on. Where several servers share the records, each of
/// them has the key before the first one seals with it (``adding(_:)``, then ``sealing(with:)``). When no
/// record needs an earlier key, it is removed. Codes, such as the hashes of names and tokens, cannot be computed again without the
/// names and tokens, so they keep their own keys (``LookupKeys``) through all rotations.
///
/// Copies share one state, so that every part of a server seals with the new key at once.
public final class KeyRing: Sendable {
    private struct State {
        /// By rising version.
        var keys: [MasterKey]
        /// The place of the key that seals.
        var active: Int
        /// The names of keys that this ring had and has no more.
        var dropped: Set<SealedKeyName> = []
    }

    private let state: Locked<State>
    let lookup: LookupKeys

    /// A ring before the first rotation.
    public convenience init(_ only: MasterKey) {
        self.init(keys: [only], lookup: .derived(from: only))
    }

    /// - Parameters:
    ///   - keys: at least one, by rising version.
    ///   - active: The place of the key that seals; `nil` for the last one.
    init(keys: [MasterKey], active: Int? = nil, lookup: LookupKeys) {
        precondition(!keys.isEmpty, "a ring has a key that seals")
        state = Locked(State(keys: keys, active: active ?? keys.count - 1))
        self.lookup = lookup
    }

    /// The key that seals.
    public var active: MasterKey { state.withLock { $0.keys[$0.active] } }

    /// All keys, by rising version. Those after the one that seals will seal later.
    public var keys: [MasterKey] { state.withLock { $0.keys } }

    /// Whether this ring has or had the key of this name.
    package func hasHeld(_ name: SealedKeyName) -> Bool {
        state.withLock { state in
            state.dropped.contains(name) || state.keys.contains { $0.name == name }
        }
    }

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
                MasterKey(
                    bytes: random.bytes(MasterKey.size), version: keys[keys.count - 1].version + 1)
            ],
            lookup: lookup)
    }

    /// Returns a ring with another key, while the same one seals. Returns the same keys if it has one
    /// of that version.
    package func adding(_ key: MasterKey) -> KeyRing {
        let (keys, active) = state.withLock { ($0.keys, $0.keys[$0.active]) }
        guard !keys.contains(where: { $0.version == key.version }) else { return copy }
        return KeyRing((keys + [key]).sorted { $0.version < $1.version }, active, lookup)
    }

    /// Returns a ring with the same keys, of which the one of `version` seals, if there is one.
    package func sealing(with version: UInt32) -> KeyRing {
        let keys = keys
        guard let key = keys.first(where: { $0.version == version }) else { return copy }
        return KeyRing(keys, key, lookup)
    }

    /// Returns a ring without the key of `version`, which must not be the one that seals.
    package func without(version: UInt32) -> KeyRing {
        let (keys, active) = state.withLock { ($0.keys, $0.keys[$0.active]) }
        return KeyRing(
            keys.filter { $0.version != version || $0.version == active.version }, active, lookup)
    }

    /// Takes over the keys of a ring that has been stored.
    package func adopt(_ other: KeyRing) {
        let (keys, active) = other.state.withLock { ($0.keys, $0.active) }
        state.withLock { state in
            let names = Set(keys.map(\.name))
            state.dropped.formUnion(state.keys.map(\.name).filter { !names.contains($0) })
            (state.keys, state.active) = (keys, active)
        }
    }

    private var copy: KeyRing {
        let (keys, active) = state.withLock { ($0.keys, $0.active) }
        return KeyRing(keys: keys, active: active, lookup: lookup)
    }

    private convenience init(_ keys: [MasterKey], _ active: MasterKey, _ lookup: LookupKeys) {
        self.init(
            keys: keys, active: keys.firstIndex { $0.version == active.version }, lookup: lookup)
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
