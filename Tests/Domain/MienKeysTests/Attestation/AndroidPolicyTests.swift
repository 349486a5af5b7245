import Crypto
import MienAttestation
import MienCore
import MienKeys
import MienServerTesting
import SwiftASN1
import Testing
import X509

@Suite struct AndroidPolicyTests {
    private let root = try! TestAuthority()
    private let key = try! SoftwareSigner.generate(.es256).publicKey

    private func leaf(_ description: MadeDescription, by authority: TestAuthority? = nil) throws
        -> [UInt8]
    {
        try (authority ?? root).issue(
            subject: DistinguishedName { CommonName("Android Keystore Key") }, key: .init(key),
            extensions: Certificate.Extensions().adding(MadeDescription.oid, description.der))
    }

    private func code(
        _ policy: AndroidKeyPolicy = AndroidKeyPolicy(),
        _ change: (inout MadeDescription) -> Void = { _ in }
    ) throws -> AttestationError.Code? {
        let leaf = try leaf(MadeDescription().changed(change))
        return refusal { try verify([leaf], policy: policy) }
    }

    private func verify(
        _ chain: [[UInt8]], policy: AndroidKeyPolicy = AndroidKeyPolicy(),
        anchors: [TrustAnchor]? = nil
    ) throws {
        let result = try AndroidKeyAttestation.verify(
            chain: chain, challenge: Array("challenge".utf8), policy: policy,
            anchors: anchors ?? [root.anchor], at: TestAuthority.now)
        #expect(result.key == key)
    }

    private func policy(_ change: (inout AndroidKeyPolicy) -> Void) -> AndroidKeyPolicy {
        var policy = AndroidKeyPolicy()
        change(&policy)
        return policy
    }

    @Test func `a key that requires a biometric each time satisfies the default policy`() throws {
        #expect(try code() == nil)
    }

    @Test func `each rule has its code`() throws {
        #expect(try code { $0.attestationLevel = 0 } == .androidSecurityLevel)
        #expect(try code { $0.keyMintLevel = 0 } == .androidSecurityLevel)
        #expect(
            try code { $0.hardware[1] = DERText.set([DERText.integer(3), DERText.integer(0)]) }
                == .androidPurpose)
        #expect(try code { $0.hardware[1] = nil } == .androidPurpose)
        for origin: Int64 in [1, 2, 3, 4] {
            #expect(try code { $0.hardware[702] = DERText.integer(origin) } == .androidOrigin)
        }
        #expect(try code { $0.hardware[702] = nil } == .androidOrigin)
        // A value enforced only by Android is not sufficient.
        #expect(
            try code {
                $0.hardware[702] = nil
                $0.software[702] = DERText.integer(0)
            } == .androidOrigin)
        #expect(try code { $0.hardware[704] = nil } == .androidRootOfTrust)
        #expect(
            try code { $0.hardware[704] = MadeDescription.rootOfTrust(locked: false) }
                == .androidUnlocked)
        for state: Int64 in [1, 2, 3] {
            #expect(
                try code { $0.hardware[704] = MadeDescription.rootOfTrust(state: state) }
                    == .androidBootState)
        }
        #expect(try code { $0.challenge = [1] } == .challenge)
    }

    @Test
    func `a key is bound to biometrics if 503 is absent, 504 has the bit, and 505 is absent`()
        throws
    {
        #expect(try code { $0.hardware[503] = DERText.null } == .androidUserAuthentication)
        #expect(try code { $0.software[503] = DERText.null } == .androidUserAuthentication)
        #expect(try code { $0.hardware[504] = nil } == .androidUserAuthentication)
        #expect(try code { $0.hardware[504] = DERText.integer(1) } == .androidUserAuthentication)
        #expect(try code { $0.hardware[505] = DERText.integer(10) } == .androidUserAuthentication)
        #expect(try code { $0.software[505] = DERText.integer(10) } == .androidUserAuthentication)
        #expect(
            try code {
                $0.hardware[504] = nil
                $0.software[504] = DERText.integer(2)
            } == .androidUserAuthentication)
        // Biometrics or the device's PIN.
        #expect(try code { $0.hardware[504] = DERText.integer(3) } == nil)
        let only = policy { $0.userAuthentication = .biometricOnly }
        #expect(
            try code(only) == nil
                && code(only) { $0.hardware[504] = DERText.integer(3) }
                    == .androidUserAuthentication
        )
        #expect(
            try code(policy { $0.userAuthentication = .any }) { $0.hardware[503] = DERText.null }
                == nil)
    }

    @Test func `a policy can require more, and less`() throws {
        let strong = policy { $0.minimumLevel = .strongBox }
        #expect(try code(strong) == .androidSecurityLevel)
        #expect(try code(strong) { ($0.attestationLevel, $0.keyMintLevel) = (2, 2) } == nil)
        let own = policy { $0.boot = .lockedOwnKey }
        #expect(try code(own) { $0.hardware[704] = MadeDescription.rootOfTrust(state: 1) } == nil)
        #expect(
            try code(own) { $0.hardware[704] = MadeDescription.rootOfTrust(state: 2) }
                == .androidBootState)
        #expect(try code(policy { $0.boot = .any }) { $0.hardware[704] = nil } == nil)
        #expect(try code(policy { $0.minimumPatchLevel = 202_601 }) == nil)
        #expect(try code(policy { $0.minimumPatchLevel = 202_602 }) == .androidPatchLevel)
        #expect(
            try code(policy { $0.minimumPatchLevel = 1 }) { $0.hardware[706] = nil }
                == .androidPatchLevel)
        let soft = policy {
            ($0.minimumLevel, $0.boot, $0.userAuthentication) = (.software, .any, .any)
        }
        #expect(
            try code(soft) {
                ($0.attestationLevel, $0.keyMintLevel) = (0, 0)
                swap(&$0.hardware, &$0.software)
            } == nil)
    }

    @Test func `the application's packages and signers are compared`() throws {
        let mine = policy {
            ($0.packages, $0.signatures) = (["org.example.app"], [[UInt8](repeating: 9, count: 32)])
        }
        #expect(try code(mine) == nil)
        func application(_ packages: [(String, Int64)], _ signature: UInt8) -> [UInt8] {
            DERText.octets(
                MadeDescription.application(packages, [[UInt8](repeating: signature, count: 32)]))
        }
        #expect(
            try code(mine) { $0.software[709] = application([("org.example.other", 1)], 9) }
                == .androidApplication)
        #expect(
            try code(mine) {
                $0.software[709] = application(
                    [("org.example.app", 1), ("org.example.other", 1)], 9)
            } == .androidApplication)
        #expect(
            try code(mine) { $0.software[709] = application([("org.example.app", 1)], 8) }
                == .androidApplication)
        #expect(try code(mine) { $0.software[709] = application([], 9) } == .androidApplication)
        #expect(try code(mine) { $0.software[709] = nil } == .androidApplication)
        #expect(try code(mine) { $0.software[600] = DERText.null } == .androidApplication)
    }

    @Test func `an extension that does not match its schema is rejected`() throws {
        #expect(try code { $0.attestationLevel = 3 } == .androidExtension)
        #expect(try code { $0.hardware[702] = DERText.integer(9) } == .androidExtension)
        #expect(
            try code { $0.hardware[704] = MadeDescription.rootOfTrust(state: 4) }
                == .androidExtension)
        #expect(try code { $0.hardware[503] = DERText.integer(1) } == .androidExtension)
        #expect(try code { $0.hardware[504] = DERText.octets([2]) } == .androidExtension)
        #expect(try code { $0.hardware[1] = DERText.integer(2) } == .androidExtension)
        #expect(try code { $0.software[709] = DERText.octets([1, 2]) } == .androidExtension)
        let der = MadeDescription().der
        #expect(
            try code { $0.hardwareMore = DERText.explicit(504, DERText.integer(2)) }
                == .androidExtension)
        #expect(
            try code {
                $0.hardwareMore =
                    DERText.explicit(998, DERText.null) + DERText.explicit(999, DERText.null)
            } == nil)
        for count in stride(from: 0, to: der.count, by: 3) {
            #expect(throws: AttestationError(.androidExtension, "")) {
                try KeyDescription(der: Array(der[..<count]))
            }
        }
        let newer = try KeyDescription(
            der: MadeDescription().changed { $0.hardware[999] = DERText.null }.der)
        #expect(newer.hardwareEnforced.otherTags == [999])
    }

    /// The holder of an attested key can sign a certificate below it with any content.
    @Test func `certificates below the attested key's are rejected`() throws {
        let extensions = try Certificate.Extensions {
            BasicConstraints.isCertificateAuthority(maxPathLength: nil)
        }.adding(
            MadeDescription.oid, MadeDescription().changed { $0.hardware[503] = DERText.null }.der)
        let attested = try TestAuthority("Attested key", by: root, extensions: extensions)
        let lie = try leaf(MadeDescription(), by: attested)
        #expect(refusal { try verify([lie, attested.der]) } == .androidExtended)
        #expect(refusal { try verify([lie, attested.der, root.der]) } == .androidExtended)
        // Also rejected if only the one above has an extension.
        let bare = try attested.issue(
            subject: DistinguishedName { CommonName("bare") }, key: .init(key))
        #expect(refusal { try verify([bare, attested.der]) } == .androidExtended)
    }

    @Test func `the software key store's root is rejected even as an anchor`() throws {
        let soft = try TestAuthority("Android Keystore Software Attestation Root"),
            leaf = try leaf(MadeDescription(), by: soft)
        #expect(refusal { try verify([leaf], anchors: [soft.anchor]) } == .androidSoftwareRoot)
        #expect(
            refusal { try verify([leaf, soft.der], anchors: [soft.anchor]) } == .androidSoftwareRoot
        )
    }

    @Test func `only supported keys are attested`() throws {
        let leaf = try root.issue(
            subject: DistinguishedName { CommonName("Key") },
            key: .init(P384.Signing.PrivateKey().publicKey),
            extensions: Certificate.Extensions().adding(MadeDescription.oid, MadeDescription().der))
        #expect(refusal { try verify([leaf]) } == .key)
    }

    @Test(arguments: [
        "[]", "{}", #"{"entries":[]}"#, #"{"entries":{"xyz":{"status":"REVOKED"}}}"#,
        #"{"entries":{"":{"status":"REVOKED"}}}"#, #"{"entries":{"１a":{"status":"REVOKED"}}}"#,
        #"{"entries":{"a1":{"status":"FINE"}}}"#, #"{"entries":{"a1":{}}}"#,
        #"{"entries":{"a1":{"status":"REVOKED"},"a1":{"status":"REVOKED"}}}"#,
        "",
    ])
    func `a malformed status list is rejected`(json: String) {
        #expect(throws: AttestationError(.androidStatusList, "")) {
            try AndroidStatusList(json: Array(json.utf8))
        }
    }

    @Test func `a serial number with two statuses is revoked, in any order`() throws {
        // Dictionaries iterate in a different order each time.
        for _ in 0..<20 {
            let list = try AndroidStatusList(
                json: Array(
                    #"{"entries":{"0a":{"status":"REVOKED"},"A":{"status":"SUSPENDED"}}}"#.utf8))
            #expect(list.entries == ["a": .revoked])
        }
    }

    @Test func `Google's roots have the known hashes`() {
        #expect(
            TrustAnchor.androidKeyAttestation.map { Hex.text($0.fingerprint) } == [
                "cedb1cb6dc896ae5ec797348bce9286753c2b38ee71ce0fbe34a9a1248800dfc",
                "6d9db4ce6c5c0b293166d08986e05774a8776ceb525d9e4329520de12ba4bcc0",
            ])
    }

    @Test func `device identifiers never print`() throws {
        let description = try KeyDescription(
            der: MadeDescription().changed {
                $0.hardware[714] = DERText.octets(Array("351163520096208".utf8))
            }.der)
        var text = "\(description)"
        dump(description, to: &text)
        #expect(!text.contains("351163520096208") && !text.contains("51, 53, 49"))
        #expect(description.hardwareEnforced.imei?.use { $0 } == Array("351163520096208".utf8))
    }
}
