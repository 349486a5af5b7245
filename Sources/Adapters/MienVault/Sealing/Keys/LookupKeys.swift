internal import Crypto

/// The keys of codes: one for each purpose, derived from the first master key. A rotation stores
/// them, because the first master key can be removed, and they cannot open what it sealed.
struct LookupKeys: Sendable {
    /// The keys of known purposes, by label, 32 bytes each. `nil` while `first` is there.
    private let keys: [String: SymmetricKey]?
    private let first: MasterKey?

    /// The purpose from whose key those of unlisted purposes are derived.
    static let root = "mien/v1/lookup-root"
    /// The purposes whose codes a database may contain.
    static let labels = [
        "mien/v1/account-name", "mien/v1/audit-anchor", "mien/v1/bearer-secret",
        "mien/v1/credential-id", "mien/v1/decoy-credential", "mien/v1/device-name",
        "mien/v1/evidence-key", "mien/v1/refresh-token", "mien/v1/registry-text",
        "mien/v1/trail-band", root,
    ]

    static func derived(from first: MasterKey) -> LookupKeys { LookupKeys(keys: nil, first: first) }

    /// - Returns: `nil` unless there are keys of 32 bytes, one of them for ``root``.
    init?(_ stored: [String: [UInt8]]) {
        guard stored[Self.root] != nil, stored.values.allSatisfy({ $0.count == MasterKey.size })
        else { return nil }
        (keys, first) = (stored.mapValues { SymmetricKey(data: $0) }, nil)
    }

    private init(keys: [String: SymmetricKey]?, first: MasterKey?) {
        (self.keys, self.first) = (keys, first)
    }

    func code(for message: some Sequence<UInt8>, purpose: SealPurpose) -> [UInt8] {
        if let first { return first.code(for: message, purpose: purpose) }
        return Array(
            HMAC<SHA256>.authenticationCode(for: Array(message), using: key(of: purpose.label)))
    }

    /// Whether the first master key is still needed for codes, so that nothing is stored.
    var isDerived: Bool { first != nil }

    /// The keys as they are stored, by label.
    var stored: [String: [UInt8]] {
        Dictionary(
            uniqueKeysWithValues: Self.labels.map { label in
                let key = key(of: label)
                return (label, unsafe key.withUnsafeBytes { unsafe Array($0) })
            })
    }

    private func key(of label: String) -> SymmetricKey {
        if let first { return first.derivedKey(for: label) }
        guard let keys, let root = keys[Self.root] else { fatalError("a ring has lookup keys") }
        return keys[label]
            ?? HKDF<SHA256>.deriveKey(
                inputKeyMaterial: root, info: Array(label.utf8), outputByteCount: 32)
    }
}
