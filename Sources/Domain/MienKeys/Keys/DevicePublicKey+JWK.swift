internal import Crypto
public import MienCore

extension DevicePublicKey {
    /// Parses a key from a JWK (RFC 7517, 7518 §6, 8037 §2).
    ///
    /// `alg`, `use`, and `key_ops`, if present, must allow verification with this key. Other
    /// members are ignored, except private ones.
    ///
    /// - Throws: ``KeyError`` naming the member.
    public init(jwk: JSONValue) throws(KeyError) {
        guard let members = jwk.objectValue else {
            throw KeyError(.member, "a JWK must be an object")
        }
        if let name = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].first(where: {
            members[$0] != nil
        }) {
            throw KeyError(
                .privateMember,
                "“\(name)” belongs to a private or secret key, which must never be sent")
        }
        try self.init(Self.material(members))
        try Self.checkUse(members, algorithm: algorithm)
    }

    /// The key as a JWK with only the required members.
    public var jwk: JSONValue { .object(requiredMembers.mapValues { .string($0) }) }

    /// The JWK thumbprint: SHA-256 over the required members in order of name (RFC 7638, 8037 §2),
    /// as base64url.
    public var thumbprint: String {
        let members = requiredMembers.sorted { $0.key < $1.key }.map {
            "\"\($0.key)\":\"\($0.value)\""
        }
        return Base64URL.encode(
            SHA256.hash(data: Array("{\(members.joined(separator: ","))}".utf8)))
    }

    private var requiredMembers: [String: String] {
        switch material {
        case .p256(let x, let y):
            ["kty": "EC", "crv": "P-256", "x": Base64URL.encode(x), "y": Base64URL.encode(y)]
        case .rsa(let modulus, let exponent):
            ["kty": "RSA", "n": Base64URL.encode(modulus), "e": Base64URL.encode(exponent)]
        case .ed25519(let point): ["kty": "OKP", "crv": "Ed25519", "x": Base64URL.encode(point)]
        }
    }

    private static func material(_ members: [String: JSONValue]) throws(KeyError) -> Material {
        let kind = try text("kty", in: members)
        switch kind {
        case "EC":
            guard try text("crv", in: members) == "P-256" else {
                throw KeyError(.unsupported, "“crv” of an EC key must be P-256")
            }
            return .p256(x: try bytes("x", in: members), y: try bytes("y", in: members))
        case "RSA":
            return .rsa(modulus: try bytes("n", in: members), exponent: try bytes("e", in: members))
        case "OKP":
            guard try text("crv", in: members) == "Ed25519" else {
                throw KeyError(.unsupported, "“crv” of an OKP key must be Ed25519")
            }
            return .ed25519(try bytes("x", in: members))
        default: throw KeyError(.unsupported, "“kty” must be EC, RSA, or OKP")
        }
    }

    private static func text(_ name: String, in members: [String: JSONValue]) throws(KeyError)
        -> String
    {
        guard let text = members[name]?.stringValue else {
            throw KeyError(.member, "“\(name)” is missing or not a string")
        }
        return text
    }

    private static func bytes(_ name: String, in members: [String: JSONValue]) throws(KeyError)
        -> [UInt8]
    {
        guard let bytes = Base64URL.decode(try text(name, in: members)), !bytes.isEmpty,
            bytes.count <= 512
        else {
            throw KeyError(
                .encoding, "“\(name)” must be 1 to 512 bytes in base64url without padding")
        }
        return bytes
    }

    private static func checkUse(_ members: [String: JSONValue], algorithm: DeviceKeyAlgorithm)
        throws(KeyError)
    {
        if let name = members["alg"] {
            guard let name = name.stringValue, DeviceKeyAlgorithm(joseName: name) == algorithm
            else {
                throw KeyError(.member, "“alg” of this key must be \(algorithm.rawValue)")
            }
        }
        if let use = members["use"], use != "sig" { throw KeyError(.member, "“use” must be sig") }
        if let operations = members["key_ops"] {
            guard operations.arrayValue?.contains("verify") == true else {
                throw KeyError(.member, "“key_ops” must contain verify")
            }
        }
    }
}
