internal import SwiftASN1

extension DevicePublicKey {
    private static let p256 = (
        oid([1, 2, 840, 10045, 2, 1]), curve: oid([1, 2, 840, 10045, 3, 1, 7])
    )
    private static let rsa = oid([1, 2, 840, 113549, 1, 1, 1])
    private static let ed25519 = oid([1, 3, 101, 112])

    /// Parses a key from an X.509 `SubjectPublicKeyInfo` in DER (RFC 5480, 3279, 8410), as returned
    /// by Android's key store and Apple's tools.
    ///
    /// - Throws: ``KeyError``; also for another encoding of the same key.
    public init(spki: [UInt8]) throws(KeyError) {
        guard spki.count <= 1024 else {
            throw KeyError(.encoding, "the SubjectPublicKeyInfo must have at most 1024 bytes")
        }
        try self.init(Self.material(spki))
        guard self.spki == spki else {
            throw KeyError(
                .encoding,
                "the SubjectPublicKeyInfo is not in its canonical form (DER, uncompressed point)")
        }
    }

    /// Parses an RSA key from a PKCS#1 `RSAPublicKey` in DER (RFC 8017 §A.1.1), as returned by
    /// Apple's keychain.
    ///
    /// - Throws: ``KeyError``; also for another encoding of the same key.
    public init(pkcs1: [UInt8]) throws(KeyError) {
        guard pkcs1.count <= 1024, let (modulus, exponent) = try? Self.numbers(pkcs1) else {
            throw KeyError(.encoding, "the key is not a PKCS#1 RSAPublicKey in DER")
        }
        try self.init(.rsa(modulus: modulus, exponent: exponent))
        guard Self.pkcs1(modulus, exponent) == pkcs1 else {
            throw KeyError(.encoding, "the RSAPublicKey is not in its canonical form (DER)")
        }
    }

    private static func pkcs1(_ modulus: [UInt8], _ exponent: [UInt8]) -> [UInt8] {
        DERWriting.sequence([DERWriting.positive(modulus), DERWriting.positive(exponent)])
    }

    /// The key as an X.509 `SubjectPublicKeyInfo` in DER.
    public var spki: [UInt8] {
        switch material {
        case .p256(let x, let y):
            DERWriting.sequence([
                DERWriting.sequence([Self.p256.0, Self.p256.curve]),
                DERWriting.bitString([4] + x + y),
            ])
        case .rsa(let modulus, let exponent):
            DERWriting.sequence([
                DERWriting.sequence([Self.rsa, [5, 0]]),
                DERWriting.bitString(Self.pkcs1(modulus, exponent)),
            ])
        case .ed25519(let point):
            DERWriting.sequence([DERWriting.sequence([Self.ed25519]), DERWriting.bitString(point)])
        }
    }

    private static func oid(_ components: [UInt]) -> [UInt8] {
        var serializer = DER.Serializer()
        // A fixed identifier of a few numbers always serializes.
        try! serializer.serialize(try! ASN1ObjectIdentifier(elements: components))
        return serializer.serializedBytes
    }

    /// Parses leniently; the caller compares with the canonical encoding.
    private static func material(_ spki: [UInt8]) throws(KeyError) -> Material {
        guard let (identifier, parameter, bits) = try? fields(spki) else {
            throw KeyError(.encoding, "the key is not a SubjectPublicKeyInfo in DER")
        }
        switch identifier {
        case p256.0:
            guard parameter == p256.curve else {
                throw KeyError(.unsupported, "the curve of an EC key must be P-256")
            }
            guard bits.count == 65, bits[0] == 4 else {
                throw KeyError(.encoding, "a P-256 point must be uncompressed, 65 bytes")
            }
            return .p256(x: Array(bits[1...32]), y: Array(bits[33...]))
        case rsa:
            guard let (modulus, exponent) = try? numbers(bits) else {
                throw KeyError(.encoding, "the RSA key is not a modulus and an exponent in DER")
            }
            return .rsa(modulus: modulus, exponent: exponent)
        case ed25519: return .ed25519(bits)
        default: throw KeyError(.unsupported, "the key must be P-256, RSA, or Ed25519")
        }
    }

    private static func fields(_ spki: [UInt8]) throws -> (
        identifier: [UInt8], parameter: [UInt8]?, bits: [UInt8]
    ) {
        try DER.sequence(DER.parse(spki), identifier: .sequence) { fields in
            let algorithm: (identifier: [UInt8], parameter: [UInt8]?) = try DER.sequence(
                next(&fields), identifier: .sequence
            ) { algorithm in
                var serializer = DER.Serializer()
                try serializer.serialize(ASN1ObjectIdentifier(derEncoded: &algorithm))
                return (serializer.serializedBytes, algorithm.next().map { Array($0.encodedBytes) })
            }
            let bits = try ASN1BitString(derEncoded: &fields)
            return (algorithm.identifier, algorithm.parameter, Array(bits.bytes))
        }
    }

    private static func next(_ nodes: inout ASN1NodeCollection.Iterator) throws -> ASN1Node {
        guard let node = nodes.next() else {
            throw KeyError(.encoding, "part of the SubjectPublicKeyInfo is missing")
        }
        return node
    }

    private static func numbers(_ bits: [UInt8]) throws -> ([UInt8], [UInt8]) {
        try DER.sequence(DER.parse(bits), identifier: .sequence) { fields in
            let modulus = try ArraySlice<UInt8>(derEncoded: &fields),
                exponent = try ArraySlice<UInt8>(derEncoded: &fields)
            return (Array(modulus.drop { $0 == 0 }), Array(exponent.drop { $0 == 0 }))
        }
    }
}

/// The subset of DER that these keys need.
private enum DERWriting {
    static func sequence(_ parts: [[UInt8]]) -> [UInt8] { value(0x30, parts.flatMap { $0 }) }
    static func bitString(_ bytes: [UInt8]) -> [UInt8] { value(0x03, [0] + bytes) }
    static func positive(_ bytes: [UInt8]) -> [UInt8] {
        value(0x02, (bytes.first ?? 0) < 0x80 ? bytes : [0] + bytes)
    }

    private static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = content.count
        if length < 0x80 { return [tag, UInt8(length)] + content }
        if length < 0x100 { return [tag, 0x81, UInt8(length)] + content }
        return [tag, 0x82, UInt8(length >> 8), UInt8(length & 0xff)] + content
    }
}
