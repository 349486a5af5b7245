import Crypto
import CryptoExtras
import Foundation
import MienCore
import MienKeys
import Testing

@Suite struct DevicePublicKeyTests {
    @Test(arguments: [
        (Vectors.rfc7638, "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"),
        (Vectors.rfc8037Key, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"),
    ])
    func `thumbprints match RFC 7638 and RFC 8037`(jwk: JSONValue, thumbprint: String) throws {
        #expect(try DevicePublicKey(jwk: jwk).thumbprint == thumbprint)
    }

    @Test(arguments: DeviceKeyAlgorithm.allCases)
    func `a key survives JWK and SPKI, and signs and verifies`(
        algorithm: DeviceKeyAlgorithm
    ) throws {
        let signer = try SoftwareSigner.generate(algorithm), key = signer.publicKey
        #expect(try DevicePublicKey(jwk: key.jwk) == key && DevicePublicKey(spki: key.spki) == key)
        let signature = try signer.sign([1, 2, 3])
        #expect(
            key.isValid(signature, over: [1, 2, 3]) && !key.isValid(signature, over: [1, 2, 4])
                && !key.isValid([], over: [1, 2, 3]))
        for byte in stride(from: 0, to: signature.count, by: 3) {
            var wrong = signature
            wrong[byte] ^= 1 << UInt8(byte % 8)
            #expect(!key.isValid(wrong, over: [1, 2, 3]), "bit in byte \(byte)")
        }
        #expect(
            try !SoftwareSigner.generate(algorithm).publicKey.isValid(signature, over: [1, 2, 3]))
    }

    @Test func `SPKI matches the crypto library`() throws {
        let p256 = P256.Signing.PrivateKey().publicKey,
            rsa = try _RSA.Signing.PrivateKey(keySize: .bits3072).publicKey
        for der in [Array(p256.derRepresentation), Array(rsa.derRepresentation)] {
            #expect(try DevicePublicKey(spki: der).spki == der)
        }
        // RFC 8410 §10.1.
        let ed25519 = try #require(
            Data(base64Encoded: "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE="))
        #expect(try DevicePublicKey(spki: Array(ed25519)).spki == Array(ed25519))
    }

    @Test(arguments: DeviceKeyAlgorithm.allCases)
    func `SPKI that is cut off, extended, or has a flipped bit is rejected or gives another key`(
        algorithm: DeviceKeyAlgorithm
    ) throws {
        let key = try SoftwareSigner.generate(algorithm).publicKey, der = key.spki
        for count in der.indices {
            #expect(throws: KeyError.self) { try DevicePublicKey(spki: Array(der[..<count])) }
        }
        #expect(throws: KeyError(.encoding, "")) { try DevicePublicKey(spki: der + [0]) }
        for bit in 0..<der.count * 8 {
            var wrong = der
            wrong[bit / 8] ^= 1 << UInt8(bit % 8)
            if let other = try? DevicePublicKey(spki: wrong) {
                #expect(other != key && other.spki == wrong)
            }
        }
    }

    @Test func `a compressed point and other curves are rejected`() throws {
        let key = P256.Signing.PrivateKey().publicKey
        let head = Array(key.derRepresentation.prefix(26))
        var compressed = head + key.compressedRepresentation
        compressed[1] = UInt8(compressed.count - 2)
        compressed[24] = UInt8(key.compressedRepresentation.count + 1)
        #expect(throws: KeyError(.encoding, "")) { try DevicePublicKey(spki: compressed) }
        let p384 = Array(P384.Signing.PrivateKey().publicKey.derRepresentation)
        #expect(throws: KeyError(.unsupported, "")) { try DevicePublicKey(spki: p384) }
    }

    static let members: [(String, JSONValue?, KeyError.Code)] = [
        ("kty", nil, .member), ("kty", 1, .member), ("kty", "oct", .unsupported),
        ("crv", "P-384", .unsupported), ("crv", nil, .member),
        ("x", nil, .member), ("x", "", .encoding), ("x", "AQAB=", .encoding),
        ("x", "AQAB", .encoding), ("y", "AA", .encoding),
        ("y", .string(Base64URL.encode([UInt8](repeating: 1, count: 32))), .point),
        ("d", "AQAB", .privateMember), ("k", "AQAB", .privateMember),
        ("alg", "RS256", .member), ("alg", "none", .member), ("alg", 1, .member),
        ("use", "enc", .member), ("key_ops", ["sign"], .member),
        ("key_ops", "verify", .member),
    ]

    @Test(arguments: members)
    func `a JWK with a wrong member is rejected with its code, and the error does not repeat it`(
        name: String, value: JSONValue?, code: KeyError.Code
    ) throws {
        var jwk = try #require(try SoftwareSigner.generate(.es256).publicKey.jwk.objectValue)
        jwk[name] = value
        let error = try #require(throws: KeyError.self) { try DevicePublicKey(jwk: .object(jwk)) }
        #expect(error.code == code)
        #expect(!error.description.contains("AQAB"))
    }

    @Test func `a JWK may contain its purpose`() throws {
        var jwk = try #require(try SoftwareSigner.generate(.es256).publicKey.jwk.objectValue)
        jwk.merge(["alg": "ES256", "use": "sig", "key_ops": ["verify"], "kid": "one", "ext": true])
        { $1 }
        #expect(try DevicePublicKey(jwk: .object(jwk)).algorithm == .es256)
        #expect(throws: KeyError(.member, "")) { try DevicePublicKey(jwk: [1]) }
    }

    @Test func `RSA keys must have 2048 to 4096 bits and an accepted exponent`() throws {
        let right = try SoftwareSigner.generate(.rs256).publicKey
        guard case .rsa(let modulus, let exponent) = right.material else {
            return #expect(Bool(false))
        }
        func refused(_ n: [UInt8], _ e: [UInt8]) -> KeyError.Code? {
            do {
                return try DevicePublicKey(.rsa(modulus: n, exponent: e)) == right ? nil : nil
            } catch { return error.code }
        }
        // One byte shorter. The first byte is set, because the second one may be 0.
        #expect(refused([0x80] + modulus.dropFirst(2), exponent) == .size)
        #expect(refused([0] + modulus, exponent) == .encoding)
        #expect(refused(modulus, [0] + exponent) == .encoding)
        #expect(refused(modulus, []) == .size && refused([], exponent) == .encoding)
        #expect(refused([0x80] + [UInt8](repeating: 0xff, count: 512), exponent) == .size)
        for wrong: [UInt8] in [[3], [1, 0, 0], [1, 0, 2], [1, 0, 0, 0, 1]] {
            #expect(refused(modulus, wrong) == .size, "\(wrong)")
        }
        #expect(refused(Array(modulus.dropLast()) + [modulus[255] & 0xfe], exponent) == .encoding)
        let small = try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1024)).publicKey
        #expect(throws: KeyError(.size, "")) {
            try DevicePublicKey(spki: Array(small.derRepresentation))
        }
    }

    /// With such a key, a signature of zeros would match many messages. The points of order 8
    /// follow RFC 8032's arithmetic.
    @Test func `Ed25519 points of small order or in a second encoding are rejected`() throws {
        let order8: [UInt8] = [
            0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef,
            0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6,
            0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
        ]
        let one = [1] + [UInt8](repeating: 0, count: 31), zero = [UInt8](repeating: 0, count: 32)
        let high = [UInt8](repeating: 0xff, count: 30) + [0x7f]
        for point in [order8, order8[..<31] + [order8[31] | 0x80], one, zero, [0xec] + high] {
            #expect(throws: KeyError(.point, "")) { try DevicePublicKey(.ed25519(Array(point))) }
        }
        for low: UInt8 in 0xed...0xff {
            #expect(throws: KeyError(.encoding, "")) { try DevicePublicKey(.ed25519([low] + high)) }
        }
        #expect(throws: KeyError(.encoding, "")) { try DevicePublicKey(.ed25519(one + [0])) }
    }

    @Test func `ES256 signatures convert from DER to raw and back, but not from a second encoding`()
        throws
    {
        for _ in 0..<40 {
            let raw = try SoftwareSigner.generate(.es256).sign([7]),
                der = try #require(ES256Signature.der(raw: raw))
            #expect(ES256Signature.raw(der: der) == raw)
            #expect(ES256Signature.raw(der: der + [0]) == nil)
            // The same number with a leading zero.
            let r = der[4..<4 + Int(der[3])]
            let longer: [UInt8] =
                [0x30, der[1] + 1, 2, der[3] + 1, 0] + r + der[(4 + Int(der[3]))...]
            #expect(ES256Signature.raw(der: longer) == nil)
        }
        #expect(ES256Signature.der(raw: [1, 2]) == nil && ES256Signature.raw(der: []) == nil)
        let signer = try SoftwareSigner.generate(.es256), raw = try signer.sign([7]),
            der = try #require(ES256Signature.der(raw: raw))
        #expect(
            signer.publicKey.isValid(der, over: [7], form: .der)
                && !signer.publicKey.isValid(der, over: [7]))
        #expect(!signer.publicKey.isValid(raw, over: [7], form: .der))
    }

    @Test func `error codes are stable`() {
        #expect(
            KeyError.Code.allCases.map(\.rawValue) == [
                "key.member", "key.encoding", "key.unsupported", "key.size", "key.point",
                "key.private",
            ])
    }

    @Test func `a private key never prints`() throws {
        let signer = try SoftwareSigner(p256: [UInt8](repeating: 0x42, count: 32))
        var text = "\(signer) \(String(reflecting: signer))"
        dump(signer, to: &text)
        #expect(
            !text.contains("66") && !text.contains("4242") && !text.lowercased().contains("private")
        )
    }
}
