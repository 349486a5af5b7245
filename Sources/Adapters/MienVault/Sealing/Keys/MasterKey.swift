internal import Crypto
internal import MienCore

/// The key that wraps every record's own key. It is never printed.
public struct MasterKey: Sendable {
    /// The size in bytes.
    public static let size = 32

    /// The version of the operator's master key, from 1. Records store the version they need.
    public let version: UInt32

    private let key: SymmetricKey
    private let purposeKeys: PurposeKeys

    /// - Precondition: 32 `bytes`, and `version` is not 0.
    public init(bytes: [UInt8], version: UInt32 = 1) {
        precondition(bytes.count == Self.size, "a master key must have \(Self.size) bytes")
        precondition(version > 0, "master keys are numbered from 1")
        self.version = version
        key = SymmetricKey(data: bytes)
        purposeKeys = PurposeKeys(of: key)
    }

    /// The key's bytes, to store them in a key file, or sealed under another key.
    package var exported: [UInt8] { unsafe key.withUnsafeBytes { unsafe Array($0) } }

    /// An identifier that distinguishes keys without revealing them: the first 8 bytes of
    /// HMAC-SHA256(key, "mien/v1/key-id").
    public var id: [UInt8] { purposeKeys.id }

    /// Returns a code for `message` that only holders of this key can compute, so that a value can
    /// be found without being stored. HMAC-SHA256 under the purpose's own key, 32 bytes.
    public func code(for message: some Sequence<UInt8>, purpose: SealPurpose) -> [UInt8] {
        var code = purposeKeys.keyed(for: purpose.label)
        code.update(data: Array(message))
        return Array(code.finalize())
    }

    /// Returns the key for one purpose: HKDF-SHA256, no salt, the purpose's label as info. One
    /// purpose's key reveals nothing about another's.
    func wrappingKey(for purpose: SealPurpose) -> SymmetricKey {
        purposeKeys.derived(for: purpose.label).key
    }

    /// Returns the same key as ``wrappingKey(for:)`` by the purpose's label.
    func derivedKey(for label: String) -> SymmetricKey { purposeKeys.derived(for: label).key }
}

/// Caches the keys derived from one master key, because a server uses the same few for every
/// request.
private final class PurposeKeys: Sendable {
    struct Derived {
        let key: SymmetricKey
        /// The computation of a code after it took the key, which is half of the work for a short
        /// message.
        let keyed: HMAC<SHA256>
    }

    private let key: SymmetricKey
    private let derived = Locked<(id: [UInt8]?, keys: [String: Derived])>((nil, [:]))

    init(of key: SymmetricKey) { self.key = key }

    var id: [UInt8] {
        derived.withLock { derived in
            if let id = derived.id { return id }
            let id = Array(
                HMAC<SHA256>.authenticationCode(for: Array("mien/v1/key-id".utf8), using: key)
                    .prefix(8))
            derived.id = id
            return id
        }
    }

    func keyed(for label: String) -> HMAC<SHA256> { derived(for: label).keyed }

    func derived(for label: String) -> Derived {
        derived.withLock { derived in
            if let known = derived.keys[label] { return known }
            let key = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: key, info: Array(label.utf8), outputByteCount: 32)
            let new = Derived(key: key, keyed: HMAC(key: key))
            derived.keys[label] = new
            return new
        }
    }
}

extension MasterKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹master key›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
