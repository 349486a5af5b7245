internal import MienCore
internal import MienKeys

/// The public keys of an app: a JWK set (RFC 7517 §5).
struct ClientKeySet: Sendable {
    static let maxKeys = 32
    /// The maximum size of a set, as JSON.
    static let maxBytes = 64 * 1024

    struct Key: Sendable {
        let id: String?
        let key: DevicePublicKey
    }

    /// The reason a value is no set that an app can use.
    struct Invalid: Error {
        let reason: String
    }

    /// The keys that verify signatures. Keys of other kinds and uses are left out.
    let keys: [Key]

    /// - Throws: ``Invalid`` unless it has a key that verifies signatures, and no private key.
    init(_ value: JSONValue) throws(Invalid) {
        guard JSONText.write(value).utf8.count <= Self.maxBytes else {
            throw Invalid(reason: "must have at most \(Self.maxBytes / 1024) KB")
        }
        guard let members = value["keys"]?.arrayValue, (1...Self.maxKeys).contains(members.count)
        else { throw Invalid(reason: "must be an object with 1 to \(Self.maxKeys) keys in keys") }
        var keys: [Key] = []
        for member in members {
            do throws(KeyError) {
                keys.append(
                    Key(id: member["kid"]?.stringValue, key: try DevicePublicKey(jwk: member)))
            } catch {
                guard error.code != .privateMember else {
                    throw Invalid(reason: "must contain public keys only: \(error.reason)")
                }
            }
        }
        guard !keys.isEmpty else {
            throw Invalid(
                reason:
                    "must contain a key for signatures: P-256, RSA of 2048 to 4096 bits, or Ed25519"
            )
        }
        self.keys = keys
    }

    private static let essentialMembers: Set = [
        "kty", "crv", "x", "y", "n", "e", "kid", "use", "alg",
    ]

    /// Returns a valid set with only those members of its keys that the server reads.
    static func essential(_ value: JSONValue) -> JSONValue {
        let keys = (value["keys"]?.arrayValue ?? []).compactMap(\.objectValue)
        return [
            "keys": .array(
                keys.map { .object($0.filter { essentialMembers.contains($0.key) }) })
        ]
    }

    /// Returns the keys that may have signed a message: those with its `kid`, or any of its
    /// algorithm if it names none.
    func candidates(for message: JWS) -> [DevicePublicKey] {
        keys.filter {
            $0.key.algorithm == message.algorithm
                && (message.keyID == nil || $0.id == message.keyID)
        }.map(\.key)
    }
}
