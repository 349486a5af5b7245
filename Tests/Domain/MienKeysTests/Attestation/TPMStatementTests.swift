import Crypto
import MienAttestation
import MienCore
import MienKeys
import MienServerTesting
import SwiftASN1
import Testing
import X509

/// A virtual TPM. Returns what TPM2_Certify would, with any part changed.
private struct VirtualTPM {
    var signScheme: [UInt8] = Write.big(UInt16(0x0010))
    var symmetric: UInt16 = 0x0010
    var nameAlgorithm: UInt16 = 0x000b
    var curve: UInt16 = 3
    var exponent: UInt32 = 0
    /// fixedTPM, fixedParent, sensitiveDataOrigin, userWithAuth, noDA, decrypt, sign, as Windows
    /// creates them.
    var attributes: UInt32 = 0x0006_0472
    var bits: UInt16?
    var magic: UInt32 = 0xff54_4347
    var type: UInt16 = 0x8017
    var extraData: [UInt8]?
    var name: [UInt8]?
    var areaMore: [UInt8] = [], informationMore: [UInt8] = []
    /// Replaces the credential's key in the public area.
    var key: DevicePublicKey?

    func area(_ key: DevicePublicKey) -> [UInt8] {
        func head(_ type: UInt16) -> [UInt8] {
            Write.big(type) + Write.big(nameAlgorithm) + Write.big(attributes)
                + Write.counted([UInt8](repeating: 5, count: 32))
                + Write.big(symmetric) + signScheme
        }
        switch self.key?.material ?? key.material {
        case .p256(let x, let y):
            return head(0x0023) + Write.big(curve) + Write.big(UInt16(0x0010)) + Write.counted(x)
                + Write.counted(y) + areaMore
        case .rsa(let modulus, _):
            return head(0x0001) + Write.big(bits ?? 2048) + Write.big(exponent)
                + Write.counted(modulus) + areaMore
        case .ed25519(let point): return head(0x0025) + Write.counted(point)
        }
    }

    func information(area: [UInt8], signed: [UInt8]) -> [UInt8] {
        let hash: [UInt8] =
            nameAlgorithm == 0x000c ? Array(SHA384.hash(data: area)) : Write.sha256(area)
        let head =
            Write.big(magic) + Write.big(type) + Write.counted([1, 2])
            + Write.counted(extraData ?? Write.sha256(signed))
        let clock = [UInt8](repeating: 0, count: 17 + 8)
        return head + clock + Write.counted(name ?? Write.big(nameAlgorithm) + hash)
            + Write.counted([3, 4]) + informationMore
    }
}

@Suite struct TPMStatementTests {
    private static let maker: ASN1ObjectIdentifier = [2, 23, 133, 2, 1],
        model: ASN1ObjectIdentifier = [2, 23, 133, 2, 2]
    private static let version: ASN1ObjectIdentifier = [2, 23, 133, 2, 3]
    private let root = try! TestAuthority("TPM maker")

    private struct CertificateChange {
        var subject = DistinguishedName()
        var purpose: ASN1ObjectIdentifier? = [2, 23, 133, 8, 3]
        var names: [(ASN1ObjectIdentifier, String)] = [
            (maker, "id:474F4F47"), (model, "vTPM"), (version, "id:00000001"),
        ]
        var isAuthority: Bool? = false
        var aaguid: [UInt8]?
    }

    private func extensions(_ change: CertificateChange) throws -> Certificate.Extensions {
        var extensions = Certificate.Extensions()
        let name = DistinguishedName(
            change.names.map { RelativeDistinguishedName(.init(type: $0.0, utf8String: $0.1)) })
        if !change.names.isEmpty {
            try extensions.append(
                .init(SubjectAlternativeNames([.directoryName(name)]), critical: true))
        }
        if let purpose = change.purpose {
            try extensions.append(.init(ExtendedKeyUsage([.init(oid: purpose)]), critical: false))
        }
        if let isAuthority = change.isAuthority {
            try extensions.append(
                .init(
                    isAuthority
                        ? BasicConstraints.isCertificateAuthority(maxPathLength: nil)
                        : BasicConstraints.notCertificateAuthority,
                    critical: true))
        }
        if let aaguid = change.aaguid {
            extensions = try extensions.adding(
                [1, 3, 6, 1, 4, 1, 45724, 1, 1, 4], DERText.octets(aaguid))
        }
        return extensions
    }

    private func code(
        _ tpm: VirtualTPM = VirtualTPM(), device: VirtualAuthenticator = VirtualAuthenticator(),
        attester: SoftwareSigner? = nil,
        signer: SoftwareSigner? = nil,
        certificate: CertificateChange = CertificateChange(), statement: [String: CBORValue] = [:]
    ) throws -> AttestationError.Code? {
        let attester = try attester ?? SoftwareSigner.generate(.es256)
        let area = tpm.area(device.signer.publicKey),
            information = tpm.information(area: area, signed: device.signed)
        let leaf = try root.issue(
            subject: certificate.subject, key: .init(attester.publicKey),
            extensions: extensions(certificate))
        let members: [String: CBORValue] = [
            "ver": "2.0", "alg": VirtualAuthenticator.number(attester),
            "x5c": .array([.bytes(leaf)]), "certInfo": .bytes(information),
            "pubArea": .bytes(area),
            "sig": .bytes(try VirtualAuthenticator.sign(information, signer ?? attester)),
        ]
        var verifier = RegistrationVerifier(relyingParty: VirtualAuthenticator.rp)
        (verifier.anchors[.tpm], verifier.requirement) = ([root.anchor], .anchored)
        return refusal {
            let credential = try verifier.verify(
                clientDataJSON: device.clientDataJSON,
                attestationObject: device.object("tpm", members.merging(statement) { $1 }),
                challenge: VirtualAuthenticator.challenge, at: TestAuthority.now)
            #expect(
                credential.proof == .anchored(.tpm, anchor: root.anchor.fingerprint)
                    && credential.key == device.signer.publicKey)
        }
    }

    @Test func `a TPM's statement is accepted for both types of keys and attesters`() throws {
        for algorithm: DeviceKeyAlgorithm in [.es256, .rs256] {
            for attester: DeviceKeyAlgorithm in [.es256, .rs256] {
                #expect(
                    try code(
                        device: VirtualAuthenticator(algorithm),
                        attester: SoftwareSigner.generate(attester)) == nil)
            }
        }
        #expect(try code(VirtualTPM(nameAlgorithm: 0x000c)) == nil)
        #expect(
            try code(VirtualTPM(signScheme: Write.big(UInt16(0x0018)) + Write.big(UInt16(0x000b))))
                == nil)
        #expect(try code(VirtualTPM(exponent: 65537), device: VirtualAuthenticator(.rs256)) == nil)
    }

    @Test func `the public area must be the credential's key`() throws {
        #expect(
            try code(VirtualTPM(key: SoftwareSigner.generate(.es256).publicKey)) == .keyMismatch)
        #expect(
            try code(VirtualTPM(exponent: 65539), device: VirtualAuthenticator(.rs256))
                == .keyMismatch)
        #expect(try code(VirtualTPM(exponent: 3), device: VirtualAuthenticator(.rs256)) == .key)
        #expect(try code(VirtualTPM(bits: 4096), device: VirtualAuthenticator(.rs256)) == .tpm)
        #expect(
            try code(VirtualTPM(symmetric: 6)) == .tpm && code(VirtualTPM(nameAlgorithm: 4)) == .tpm
                && code(VirtualTPM(curve: 4)) == .tpm)
        #expect(
            try code(VirtualTPM(signScheme: Write.big(UInt16(0x001a)) + Write.big(UInt16(0x000b))))
                == .tpm)
        #expect(try code(VirtualTPM(areaMore: [0])) == .tpm)
        #expect(try code(device: VirtualAuthenticator(.edDSA)) == .tpm)
    }

    @Test(arguments: [1, 4, 5, 18])
    func `a key that may leave its TPM, was created elsewhere, or does not sign is rejected`(
        bit: UInt32
    )
        throws
    {
        #expect(try code(VirtualTPM(attributes: 0x0006_0472 & ~(1 << bit))) == .tpm)
    }

    @Test func `the TPM's statement must be about this key and this registration`() throws {
        #expect(
            try code(VirtualTPM(magic: 0xff54_4348)) == .tpm
                && code(VirtualTPM(type: 0x8018)) == .tpm)
        #expect(
            try code(VirtualTPM(extraData: Write.sha256([1]))) == .challenge
                && code(VirtualTPM(extraData: [])) == .challenge)
        #expect(
            try code(VirtualTPM(name: Write.big(UInt16(0x000b)) + Write.sha256([1]))) == .tpm
                && code(VirtualTPM(name: [])) == .tpm)
        #expect(try code(VirtualTPM(informationMore: [0])) == .tpm)
        #expect(try code(signer: SoftwareSigner.generate(.es256)) == .signature)
    }

    @Test func `areas cut off anywhere are rejected`() throws {
        let device = VirtualAuthenticator(), area = VirtualTPM().area(device.signer.publicKey)
        let information = VirtualTPM().information(area: area, signed: device.signed)
        for count in area.indices {
            #expect(
                try code(device: device, statement: ["pubArea": .bytes(Array(area[..<count]))])
                    == .tpm)
        }
        for count in information.indices {
            #expect(
                try code(
                    device: device, statement: ["certInfo": .bytes(Array(information[..<count]))])
                    == .tpm)
        }
        #expect(
            try code(statement: ["pubArea": .bytes([UInt8](repeating: 0, count: 1025))]) == .tpm)
    }

    @Test func `the members must be those of version 2`() throws {
        #expect(
            try code(statement: ["ver": "1.2"]) == .statement
                && code(statement: ["ver": .bytes([2])]) == .statement)
        #expect(
            try code(statement: ["more": .true]) == .statement
                && code(statement: ["sig": "text"]) == .statement)
        // SHA-1, which old TPMs use.
        #expect(try code(statement: ["alg": CBORValue(integer: -65535)]) == .algorithm)
        #expect(try code(statement: ["alg": CBORValue(integer: -257)]) == .algorithm)
    }

    @Test func `a certificate must satisfy §8.3.1`() throws {
        #expect(
            try code(certificate: CertificateChange(aaguid: VirtualAuthenticator.aaguid)) == nil)
        #expect(
            try code(certificate: CertificateChange(aaguid: [UInt8](repeating: 1, count: 16)))
                == .aaguid)
        let wrong: [CertificateChange] = try [
            CertificateChange(subject: DistinguishedName { CommonName("TPM") }),
            CertificateChange(purpose: nil),
            CertificateChange(purpose: [2, 23, 133, 8, 1]), CertificateChange(names: []),
            CertificateChange(isAuthority: true),
            CertificateChange(isAuthority: nil),
            CertificateChange(names: [(Self.maker, "id:474F4F47"), (Self.model, "vTPM")]),
            CertificateChange(names: [
                (Self.maker, "GOOG"), (Self.model, "vTPM"), (Self.version, "id:00000001"),
            ]),
            // As many bytes, but digits of another script.
            CertificateChange(names: [
                (Self.maker, "id:４４47"), (Self.model, "vTPM"), (Self.version, "id:00000001"),
            ]),
            CertificateChange(names: [
                (Self.maker, "id:474F4F47"), (Self.model, ""), (Self.version, "id:00000001"),
            ]),
        ]
        for (index, change) in wrong.enumerated() {
            #expect(try code(certificate: change) == .statementCertificate, "\(index)")
        }
    }
}
