import Crypto
import CryptoExtras
import MienAttestation
import MienCore
import MienKeys
import MienServerTesting
import SwiftASN1
import Testing
import X509

/// Rules of chains, tested through an otherwise valid key attestation.
@Suite struct ChainTests {
    private let root = try! TestAuthority()
    private let key = try! SoftwareSigner.generate(.es256).publicKey

    private static func authority(
        pathLength: Int? = nil, signs: Bool = true, isAuthority: Bool = true
    ) throws -> Certificate.Extensions {
        try Certificate.Extensions {
            Critical(
                isAuthority
                    ? BasicConstraints.isCertificateAuthority(maxPathLength: pathLength)
                    : .notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: !signs, keyCertSign: signs))
        }
    }

    private func leaf(
        by authority: TestAuthority, from: Instant = TestAuthority.now - .seconds(60),
        to: Instant = TestAuthority.now + .seconds(60),
        critical: ASN1ObjectIdentifier? = nil
    ) throws -> [UInt8] {
        var extensions = try Certificate.Extensions().adding(
            MadeDescription.oid, MadeDescription().der)
        if let critical { extensions = try extensions.adding(critical, [5, 0], critical: true) }
        return try authority.issue(
            subject: DistinguishedName { CommonName("key") }, key: .init(key),
            extensions: extensions, from: from, to: to)
    }

    private func code(
        _ chain: [[UInt8]], anchors: [TrustAnchor]? = nil, at now: Instant = TestAuthority.now
    ) -> AttestationError.Code? {
        refusal {
            _ = try AndroidKeyAttestation.verify(
                chain: chain, challenge: Array("challenge".utf8), anchors: anchors ?? [root.anchor],
                at: now)
        }
    }

    @Test func `a chain through two authorities is accepted with or without its root`() throws {
        let first = try TestAuthority("First", by: root),
            second = try TestAuthority("Second", by: first), leaf = try leaf(by: second)
        #expect(
            code([leaf, second.der, first.der]) == nil
                && code([leaf, second.der, first.der, root.der]) == nil)
        #expect(
            code([leaf, first.der]) == .chainBroken && code([leaf, second.der]) == .chainUntrusted)
        // Any authority may be the anchor.
        #expect(
            code([leaf, second.der], anchors: [first.anchor]) == nil
                && code([leaf], anchors: [second.anchor, root.anchor]) == nil)
    }

    @Test func `the certificate itself may be the anchor, but another may not`() throws {
        let leaf = try leaf(by: root), other = try self.leaf(by: TestAuthority())
        #expect(
            try code([leaf], anchors: [TrustAnchor(der: leaf)]) == nil
                && code([other], anchors: [TrustAnchor(der: leaf)]) == .chainUntrusted)
    }

    @Test func `each certificate has its validity period, to the second`() throws {
        let leaf = try leaf(by: root), now = TestAuthority.now
        #expect(
            code([leaf], at: now + .seconds(60)) == nil
                && code([leaf], at: now + .seconds(61)) == .chainExpired)
        #expect(
            code([leaf], at: now - .seconds(60)) == nil
                && code([leaf], at: now - .seconds(61)) == .chainNotYetValid)
        let old = try TestAuthority("Old", by: root, to: now - .seconds(1)),
            future = now + .seconds(30)
        #expect(try code([self.leaf(by: old), old.der]) == .chainExpired)
        let early = try TestAuthority("Early", by: root, from: now + .seconds(1))
        #expect(try code([self.leaf(by: early), early.der]) == .chainNotYetValid)
        #expect(try code([self.leaf(by: early), early.der], at: future) == nil)
    }

    /// RFC 5280 §6.1: an anchor is a name and a key. Operators remove anchors they no longer trust.
    @Test func `an anchor's own validity period does not matter`() throws {
        let now = TestAuthority.now
        for root in [
            try TestAuthority(to: now - .seconds(1)), try TestAuthority(from: now + .seconds(1)),
        ] {
            let authority = try TestAuthority("Between", by: root)
            #expect(
                try code([leaf(by: root)], anchors: [root.anchor]) == nil
                    && code([leaf(by: root), root.der], anchors: [root.anchor]) == nil
                    && code([leaf(by: authority), authority.der], anchors: [root.anchor]) == nil)
        }
        let pinned = try leaf(by: root, to: now - .seconds(1))
        #expect(try code([pinned], anchors: [TrustAnchor(der: pinned)]) == nil)
        // Below an anchor, periods count as ever.
        #expect(code([pinned]) == .chainExpired)
    }

    /// Replaces the key and the signature algorithm of a certificate.
    private static func changed(
        _ der: [UInt8], key: ASN1ObjectIdentifier? = nil, signature: ASN1ObjectIdentifier? = nil
    ) throws -> [UInt8] {
        func children(_ node: ASN1Node) throws -> [ASN1Node] {
            guard case .constructed(let nodes) = node.content else { throw KeyError(.encoding, "") }
            return Array(nodes)
        }
        func sequence(_ parts: [[UInt8]]) throws -> [UInt8] {
            var serializer = DER.Serializer()
            serializer.appendConstructedNode(identifier: .sequence) { serializer in
                for part in parts { serializer.serializeRawBytes(part) }
            }
            return serializer.serializedBytes
        }
        func identifier(_ value: ASN1ObjectIdentifier) throws -> [UInt8] {
            var serializer = DER.Serializer()
            try serializer.serialize(value)
            return serializer.serializedBytes
        }
        let outer = try children(DER.parse(der)), body = try children(outer[0])
        var fields = body.map { Array($0.encodedBytes) }
        let sequences = body.indices.filter { body[$0].identifier == .sequence }
        var algorithm = Array(outer[1].encodedBytes)
        if let signature {
            algorithm = try sequence([identifier(signature)])
            fields[sequences[0]] = algorithm
        }
        if let key {
            // A key of ML-DSA-65 has 1,952 bytes.
            let bits: [UInt8] = [0x03, 0x82, 0x07, 0xA1, 0] + [UInt8](repeating: 7, count: 1952)
            fields[sequences[4]] = try sequence([sequence([identifier(key)]), bits])
        }
        return try sequence([sequence(fields), algorithm, Array(outer[2].encodedBytes)])
    }

    @Test(
        arguments: [
            ([2, 16, 840, 1, 101, 3, 4, 3, 17], "ML-DSA-44"),
            ([2, 16, 840, 1, 101, 3, 4, 3, 18], "ML-DSA-65"),
            ([2, 16, 840, 1, 101, 3, 4, 3, 19], "ML-DSA-87"),
            ([1, 2, 3, 4], "the algorithm 1.2.3.4"),
        ] as [(ASN1ObjectIdentifier, String)])
    func `a certificate with a key or signature of another algorithm is refused by its name`(
        algorithm: ASN1ObjectIdentifier, name: String
    ) throws {
        let between = try TestAuthority("Between", by: root), leaf = try leaf(by: between)
        func reason(_ chain: [[UInt8]]) -> String? {
            do {
                _ = try AndroidKeyAttestation.verify(
                    chain: chain, challenge: Array("challenge".utf8), anchors: [root.anchor],
                    at: TestAuthority.now)
                return nil
            } catch {
                #expect(error.code == .certificateAlgorithm)
                return error.reason
            }
        }
        #expect(reason([leaf, between.der]) == nil)
        #expect(try Self.changed(leaf) == leaf, "the test changes nothing else")
        #expect(
            try reason([leaf, Self.changed(between.der, key: algorithm)])?
                .hasPrefix("certificate 2 of 2: its key is of \(name), which is not supported")
                == true)
        #expect(
            try reason([Self.changed(leaf, signature: algorithm), between.der])?
                .hasPrefix("certificate 1 of 2: its signature is of \(name), which") == true)
        #expect(
            refusal { _ = try TrustAnchor(der: Self.changed(root.der, key: algorithm)) }
                == .certificateAlgorithm)
        // Bytes that are no certificate at all.
        #expect(code([Array(leaf.dropLast()), between.der]) == .certificate)
        #expect(code([[0x30, 0], between.der]) == .certificate)
    }

    @Test(arguments: ["59", "60", "61", "62"])
    func `a leap second in a certificate's times is rejected`(seconds: String) throws {
        // Each time is “YYMMDDhhmmssZ” after its tag and length.
        let times = root.der.indices.filter {
            root.der[$0...].starts(with: [0x17, 13])
                && root.der[($0 + 2)...].prefix(12).allSatisfy { (0x30...0x39).contains($0) }
        }
        #expect(times.count == 2)
        for time in times {
            var der = root.der
            der.replaceSubrange(time + 12..<time + 14, with: Array(seconds.utf8))
            let code = refusal { _ = try TrustAnchor(der: der) }
            #expect(code == (seconds == "59" ? nil : .certificate))
        }
    }

    @Test func `a certificate that is not an authority cannot issue others`() throws {
        let plain = try TestAuthority(
            "Plain", by: root, extensions: Self.authority(isAuthority: false))
        #expect(try code([leaf(by: plain), plain.der]) == .chainAuthority)
        let silent = try TestAuthority("Silent", by: root, extensions: Certificate.Extensions())
        #expect(try code([leaf(by: silent), silent.der]) == .chainAuthority)
        let other = try TestAuthority("Other", by: root, extensions: Self.authority(signs: false))
        #expect(try code([leaf(by: other), other.der]) == .chainAuthority)
        let anchor = try TestAuthority("Anchor", extensions: Self.authority(isAuthority: false))
        #expect(try code([leaf(by: anchor)], anchors: [anchor.anchor]) == .chainAuthority)
    }

    @Test func `path lengths count the authorities below`() throws {
        let none = try TestAuthority("None", by: root, extensions: Self.authority(pathLength: 0)),
            below = try TestAuthority("Below", by: none)
        #expect(
            try code([leaf(by: none), none.der]) == nil
                && code([leaf(by: below), below.der, none.der]) == .chainPathLength)
        let short = try TestAuthority("Short", extensions: Self.authority(pathLength: 0)),
            one = try TestAuthority("One", by: short)
        #expect(try code([leaf(by: one), one.der], anchors: [short.anchor]) == .chainPathLength)
    }

    @Test func `unsupported critical extensions are rejected`() throws {
        #expect(try code([leaf(by: root, critical: [1, 2, 3, 4])]) == .chainCritical)
        let constrained = try TestAuthority(
            "Constrained", by: root,
            extensions: Self.authority().adding([2, 5, 29, 30], [0x30, 0], critical: true))
        #expect(try code([leaf(by: constrained), constrained.der]) == .chainCritical)
    }

    @Test func `SHA-1 is rejected`() throws {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048),
            name = try DistinguishedName { CommonName("RSA") }
        let time = (TestAuthority.now - TestAuthority.day, TestAuthority.now + TestAuthority.day)
        func make(
            _ subject: DistinguishedName, _ subjectKey: Certificate.PublicKey,
            _ algorithm: Certificate.SignatureAlgorithm,
            _ extensions: Certificate.Extensions
        )
            throws -> [UInt8]
        {
            let certificate = try Certificate(
                version: .v3, serialNumber: .init(1), publicKey: subjectKey,
                notValidBefore: time.0.date, notValidAfter: time.1.date, issuer: name,
                subject: subject, signatureAlgorithm: algorithm, extensions: extensions,
                issuerPrivateKey: .init(key))
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return serializer.serializedBytes
        }
        let anchor = try TrustAnchor(
            der: make(name, .init(key.publicKey), .sha256WithRSAEncryption, Self.authority()))
        let description = try Certificate.Extensions().adding(
            MadeDescription.oid, MadeDescription().der)
        let leafName = try DistinguishedName { CommonName("key") }
        for (algorithm, expected): (Certificate.SignatureAlgorithm, AttestationError.Code?) in [
            (.sha256WithRSAEncryption, nil), (.sha512WithRSAEncryption, nil),
            (.sha1WithRSAEncryption, .chainAlgorithm),
        ] {
            #expect(
                try code(
                    [make(leafName, .init(self.key), algorithm, description)], anchors: [anchor])
                    == expected)
        }
    }

    @Test func `a root of the same name with another key is another root`() throws {
        let twin = try TestAuthority(), leaf = try leaf(by: twin)
        #expect(
            code([leaf]) == .chainUntrusted && code([leaf, twin.der]) == .chainUntrusted
                && code([leaf, root.der]) == .chainUntrusted)
        #expect(code([leaf], anchors: [root.anchor, twin.anchor]) == nil)
    }

    /// Found by flipping bits of a recorded chain: the library accepts both encodings.
    @Test func `the unsigned parts have only one valid encoding`() throws {
        let algorithm = DERText.sequence([6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2])
        var found = 0
        // A signature whose last bit is 0 could claim to be a bit shorter.
        for _ in 0..<20 {
            let leaf = try leaf(by: root)
            let index = try #require(leaf.indices.last { leaf[$0...].starts(with: algorithm) })
            let bits = index + algorithm.count + 2
            guard leaf[bits] == 0, leaf[leaf.count - 1] & 1 == 0 else { continue }
            found += 1
            var shorter = leaf, other = leaf
            shorter[bits] = 1
            other[index + algorithm.count - 1] = 3
            #expect(
                code([leaf]) == nil && code([shorter]) == .certificate
                    && code([other]) == .certificate)
        }
        #expect(found > 0)
    }

    @Test func `nine certificates, large ones, and other bytes are rejected`() throws {
        let leaf = try leaf(by: root)
        #expect(code(Array(repeating: leaf, count: 9)) == .chainLength && code([]) == .chainLength)
        #expect(
            code([leaf + [0]]) == .certificate && code([Array(leaf.dropLast())]) == .certificate
                && code([[]]) == .certificate)
        #expect(code([[UInt8](repeating: 0x30, count: 8193)]) == .certificate)
        #expect(throws: AttestationError(.certificate, "")) { try TrustAnchor.read(pem: "") }
        #expect(throws: AttestationError(.certificate, "")) {
            try TrustAnchor.read(
                pem: "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----")
        }
        #expect(throws: AttestationError(.certificate, "")) {
            try TrustAnchor.read(pem: "-----BEGIN KEY-----\nAA==\n-----END KEY-----")
        }
    }

    @Test func `error codes are stable`() {
        let codes = AttestationError.Code.allCases.map(\.rawValue)
        #expect(Set(codes).count == codes.count && codes.count == 55)
        #expect(
            codes.prefix(5) == [
                "attestation.form", "attestation.authenticator-data", "attestation.key",
                "attestation.relying-party", "attestation.challenge",
            ])
        #expect(codes.allSatisfy { $0.split(separator: ".").count == 2 && $0 == $0.lowercased() })
    }
}
