import Crypto
import Foundation
import MienCore
import MienKeys
import Testing

@Suite struct DeviceKeyAttestationTests {
    @Test func `each format has the members that servers read`() {
        #expect(
            DeviceKeyAttestation.androidKey(chain: [[1, 2, 3], [4]]).json
                == ["format": "android-key", "chain": ["AQID", "BA=="]])
        #expect(
            DeviceKeyAttestation.appleAppAttest(object: [255], keyID: "a2V5").json
                == ["format": "apple-appattest", "object": "/w==", "key_id": "a2V5"])
    }

    @Test func `the text is the JSON`() throws {
        let attestation = DeviceKeyAttestation.androidKey(chain: [[1]])
        #expect(try JSONText.parse(Array(attestation.text.utf8)) == attestation.json)
    }

    @Test func `App Attest covers the challenge and the key`() throws {
        let key = try SoftwareSigner.generate(.es256).publicKey
        let expected = SHA256.hash(data: Array("challenge.\(key.thumbprint)".utf8))
        #expect(
            DeviceKeyAttestation.appleClientDataHash(challenge: "challenge", key: key)
                == Array(expected))
    }
}

@Suite struct PKCS1Tests {
    /// A SubjectPublicKeyInfo of 2048 bits has 24 bytes around the PKCS#1 key.
    private let key = try! SoftwareSigner.generate(.rs256).publicKey
    private var pkcs1: [UInt8] { Array(key.spki.dropFirst(24)) }

    @Test func `an RSAPublicKey is the same key as its SubjectPublicKeyInfo`() throws {
        #expect(try DevicePublicKey(pkcs1: pkcs1) == key)
    }

    @Test func `no other encoding of the key is accepted`() {
        let long: [UInt8] = [0x30, 0x83, 0, 1, 0x0a] + Array(pkcs1.dropFirst(4))
        let wrongs: [[UInt8]] = [
            [], Array(pkcs1.dropLast()), pkcs1 + [0], key.spki, [0x30, 0], long,
        ]
        for wrong in wrongs {
            #expect(throws: KeyError.self) { try DevicePublicKey(pkcs1: wrong) }
        }
        // The header, and the lowest bits of modulus and exponent, which are odd.
        for index in [0, 1, 264, 269] {
            var wrong = pkcs1
            wrong[index] ^= 1
            #expect(throws: KeyError.self, "byte \(index)") { try DevicePublicKey(pkcs1: wrong) }
        }
    }
}
