import Crypto
import MienAttestation
import MienCore
import MienKeys
import MienServerTesting
import SwiftASN1
import Testing
import X509

/// A manufacturer of authenticators, and the statements that its devices create.
private struct Maker {
    static let now = TestAuthority.now
    static let aaguidOID: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 45724, 1, 1, 4]

    let root = try! TestAuthority("Maker")
    let attester = try! SoftwareSigner.generate(.es256)

    static func packedName(
        unit: String = "Authenticator Attestation", country: String = "NZ",
        organization: String = "Maker"
    ) throws
        -> DistinguishedName
    {
        try DistinguishedName {
            CountryName(country)
            OrganizationName(organization)
            OrganizationalUnitName(unit)
            CommonName("Model one")
        }
    }

    static func packedExtensions(
        aaguid: [UInt8]? = VirtualAuthenticator.aaguid, isAuthority: Bool? = false,
        critical: Bool = false
    ) throws
        -> Certificate.Extensions
    {
        var extensions = Certificate.Extensions()
        if let isAuthority {
            try extensions.append(
                .init(
                    isAuthority
                        ? BasicConstraints.isCertificateAuthority(maxPathLength: nil)
                        : BasicConstraints.notCertificateAuthority,
                    critical: true))
        }
        if let aaguid {
            extensions = try extensions.adding(
                aaguidOID, DERText.octets(aaguid), critical: critical)
        }
        return extensions
    }

    func verify(
        _ device: VirtualAuthenticator, _ object: [UInt8], format: AttestationFormat,
        anchors: [TrustAnchor]? = nil, at: Instant = now
    ) throws -> AttestationProof {
        var verifier = RegistrationVerifier(relyingParty: VirtualAuthenticator.rp)
        verifier.anchors[format] = anchors ?? [root.anchor]
        verifier.requirement = anchors?.isEmpty == true ? .any : .anchored
        let credential = try verifier.verify(
            clientDataJSON: device.clientDataJSON, attestationObject: object,
            challenge: VirtualAuthenticator.challenge, at: at)
        #expect(credential.key == device.claimedKey ?? device.signer.publicKey)
        return credential.proof
    }
}

@Suite struct PackedStatementTests {
    private let maker = Maker()
    private let device = VirtualAuthenticator()

    private func object(
        name: DistinguishedName? = nil, extensions: Certificate.Extensions? = nil,
        version: Certificate.Version = .v3, algorithm: Int64 = -7,
        signature: [UInt8]? = nil, key: Certificate.PublicKey? = nil
    ) throws -> [UInt8] {
        let leaf = try maker.root.issue(
            subject: name ?? Maker.packedName(), key: key ?? .init(maker.attester.publicKey),
            extensions: extensions ?? Maker.packedExtensions(),
            version: version)
        let signature = try signature ?? VirtualAuthenticator.sign(device.signed, maker.attester)
        return device.object(
            "packed",
            [
                "alg": CBORValue(integer: algorithm), "sig": .bytes(signature),
                "x5c": .array([.bytes(leaf)]),
            ])
    }

    private func code(_ object: [UInt8]) -> AttestationError.Code? {
        refusal { _ = try maker.verify(device, object, format: .packed) }
    }

    @Test func `a manufacturer's statement proves the manufacturer, if it is known`() throws {
        #expect(
            try maker.verify(device, object(), format: .packed)
                == .anchored(.packed, anchor: maker.root.anchor.fingerprint))
        #expect(
            try maker.verify(device, object(), format: .packed, anchors: []) == .unanchored(.packed)
        )
        #expect(
            refusal {
                _ = try maker.verify(
                    device, object(), format: .packed, anchors: [TestAuthority("Maker").anchor])
            } == .chainUntrusted)
        #expect(
            refusal {
                _ = try maker.verify(
                    device, object(), format: .packed, at: Maker.now + .seconds(200_000))
            } == .chainExpired)
        // Anchors of another format are not used here.
        #expect(refusal { _ = try maker.verify(device, object(), format: .tpm) } == .insufficient)
    }

    @Test func `a certificate must satisfy §8.2.1`() throws {
        #expect(try code(object(extensions: Maker.packedExtensions(aaguid: nil))) == nil)
        #expect(
            try code(object(name: Maker.packedName(unit: "Authenticators")))
                == .statementCertificate)
        #expect(
            try code(object(name: Maker.packedName(country: "New Zealand")))
                == .statementCertificate)
        #expect(
            try code(
                object(
                    name: DistinguishedName { OrganizationalUnitName("Authenticator Attestation") })
            ) == .statementCertificate)
        #expect(
            try code(object(extensions: Maker.packedExtensions(isAuthority: true)))
                == .statementCertificate)
        #expect(
            try code(object(extensions: Maker.packedExtensions(isAuthority: nil)))
                == .statementCertificate)
        #expect(
            try code(object(extensions: Maker.packedExtensions(critical: true)))
                == .statementCertificate)
        #expect(
            try code(object(extensions: Maker.packedExtensions(aaguid: [1, 2, 3])))
                == .statementCertificate)
        #expect(
            try code(
                object(extensions: Maker.packedExtensions(aaguid: [UInt8](repeating: 9, count: 16)))
            ) == .aaguid)
        #expect(
            try code(object(extensions: Certificate.Extensions(), version: .v1))
                == .statementCertificate)
    }

    @Test func `the signature must be by the certificate's key over this registration`() throws {
        #expect(
            try code(object(signature: VirtualAuthenticator.sign(device.signed, device.signer)))
                == .signature)
        #expect(
            try code(
                object(signature: VirtualAuthenticator.sign(device.signed + [0], maker.attester)))
                == .signature)
        #expect(try code(object(signature: maker.attester.sign(device.signed))) == .signature)
        #expect(
            try code(object(algorithm: -257)) == .algorithm
                && code(object(algorithm: -8)) == .algorithm
                && code(object(algorithm: -65535)) == .algorithm)
        #expect(try code(object(key: .init(P384.Signing.PrivateKey().publicKey))) == .key)
        let elsewhere = device.with {
            $0.client["challenge"] = .string(Base64URL.encode(Write.sha256([2])))
        }
        #expect(
            refusal { _ = try maker.verify(elsewhere, object(), format: .packed) } == .challenge)
    }
}

@Suite struct FIDOU2FStatementTests {
    private let maker = Maker()
    private let device = VirtualAuthenticator().with {
        $0.aaguid = [UInt8](repeating: 0, count: 16)
    }

    private func object(
        _ device: VirtualAuthenticator, count: Int = 1, prefix: UInt8 = 0,
        attester: SoftwareSigner? = nil
    ) throws -> [UInt8] {
        let attester = attester ?? maker.attester
        let leaf = try maker.root.issue(
            subject: DistinguishedName { CommonName("U2F") }, key: .init(attester.publicKey))
        guard case .p256(let x, let y) = device.signer.publicKey.material else {
            return device.object("fido-u2f", ["sig": .bytes([1]), "x5c": .array([.bytes(leaf)])])
        }
        let message =
            [prefix] + Write.sha256(Array("example.org".utf8)) + device.clientDataHash + device.id
            + [4] + x + y
        return device.object(
            "fido-u2f",
            [
                "sig": .bytes(try VirtualAuthenticator.sign(message, attester)),
                "x5c": .array(Array(repeating: .bytes(leaf), count: count)),
            ])
    }

    @Test func `an old key's statement is accepted, and each rule has its code`() throws {
        func code(_ device: VirtualAuthenticator, _ object: [UInt8]) -> AttestationError.Code? {
            refusal { _ = try maker.verify(device, object, format: .fidoU2F) }
        }
        #expect(
            try maker.verify(device, object(device), format: .fidoU2F)
                == .anchored(.fidoU2F, anchor: maker.root.anchor.fingerprint))
        #expect(try code(device, object(device, count: 2)) == .statement)
        #expect(try code(device, object(device, prefix: 5)) == .signature)
        let named = device.with { $0.aaguid = VirtualAuthenticator.aaguid }
        #expect(try code(named, object(named)) == .aaguid)
        let rsa = VirtualAuthenticator(.rs256).with { $0.aaguid = device.aaguid }
        #expect(try code(rsa, object(rsa)) == .algorithm)
        #expect(
            try code(device, object(device, attester: SoftwareSigner.generate(.rs256)))
                == .algorithm)
    }
}

@Suite struct AppleStatementTests {
    private let maker = Maker()
    private let device = VirtualAuthenticator()

    private func object(
        _ nonce: [UInt8]?, key: DevicePublicKey? = nil, more: [String: CBORValue] = [:]
    ) throws -> [UInt8] {
        let extensions =
            try nonce.map {
                try Certificate.Extensions().adding([1, 2, 840, 113635, 100, 8, 2], $0)
            } ?? Certificate.Extensions()
        let leaf = try maker.root.issue(
            subject: DistinguishedName { CommonName("Apple") },
            key: .init(key ?? device.signer.publicKey), extensions: extensions)
        return device.object("apple", ["x5c": .array([.bytes(leaf)])].merging(more) { $1 })
    }

    @Test
    func `Apple's certificate over the registration is accepted, and each rule has its code`()
        throws
    {
        func code(_ object: [UInt8]) -> AttestationError.Code? {
            refusal { _ = try maker.verify(device, object, format: .apple) }
        }
        func nonce(_ bytes: [UInt8], tag: UInt = 1) -> [UInt8] {
            DERText.sequence(DERText.explicit(tag, DERText.octets(bytes)))
        }
        let right = nonce(Write.sha256(device.signed))
        #expect(
            try maker.verify(device, object(right), format: .apple)
                == .anchored(.apple, anchor: maker.root.anchor.fingerprint))
        #expect(try code(object(right, more: ["alg": CBORValue(integer: -7)])) == nil)
        #expect(try code(object(right, more: ["sig": .bytes([1])])) == .statement)
        #expect(try code(object(nil)) == .appleNonceMissing)
        #expect(try code(object([1, 2, 3])) == .appleNonceMissing)
        #expect(try code(object(nonce(Write.sha256(device.signed), tag: 2))) == .appleNonceMissing)
        #expect(try code(object(DERText.octets(Write.sha256(device.signed)))) == .appleNonceMissing)
        #expect(try code(object(nonce(Write.sha256(device.signed + [0])))) == .appleNonce)
        #expect(try code(object(nonce(device.signed))) == .appleNonce)
        #expect(
            try code(object(right, key: SoftwareSigner.generate(.es256).publicKey)) == .keyMismatch)
    }
}

@Suite struct AndroidKeyStatementTests {
    private let maker = Maker()
    private let device = VirtualAuthenticator()

    private func code(
        key: DevicePublicKey? = nil, signer: SoftwareSigner? = nil,
        _ change: (inout MadeDescription) -> Void = { _ in }
    ) throws -> AttestationError.Code? {
        let description = MadeDescription().changed {
            $0.challenge = device.clientDataHash
            change(&$0)
        }
        let leaf = try maker.root.issue(
            subject: DistinguishedName { CommonName("Android Keystore Key") },
            key: .init(key ?? device.signer.publicKey),
            extensions: Certificate.Extensions().adding(MadeDescription.oid, description.der))
        let signature = try VirtualAuthenticator.sign(device.signed, signer ?? device.signer)
        let object = device.object(
            "android-key",
            [
                "alg": CBORValue(integer: -7), "sig": .bytes(signature),
                "x5c": .array([.bytes(leaf)]),
            ])
        return refusal {
            let proof = try maker.verify(device, object, format: .androidKey)
            #expect(proof == .anchored(.androidKey, anchor: maker.root.anchor.fingerprint))
        }
    }

    @Test func `a key store's statement is accepted, and each rule has its code`() throws {
        #expect(try code() == nil)
        let other = try SoftwareSigner.generate(.es256)
        #expect(
            try code(signer: other) == .signature
                && code(key: other.publicKey, signer: other) == .keyMismatch)
        #expect(try code { $0.challenge = Write.sha256([1]) } == .challenge)
        #expect(
            try code { $0.software[600] = DERText.null } == .androidApplication
                && code { $0.hardware[600] = DERText.null } == .androidApplication)
        #expect(try code { $0.hardware[702] = DERText.integer(2) } == .androidOrigin)
        #expect(try code { $0.hardware[1] = DERText.set([DERText.integer(3)]) } == .androidPurpose)
        #expect(try code { $0.attestationLevel = 0 } == .androidSecurityLevel)
        // This format does not check the boot state and user authentication.
        #expect(
            try code {
                $0.hardware[704] = nil
                $0.hardware[503] = DERText.null
            } == nil)
    }
}
