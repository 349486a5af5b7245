import MienAttestation
import MienCore
import MienKeys
import MienServerTesting
import MienTesting
import SwiftASN1
import Testing
import X509

@Suite(.enabled(if: Captures.arePresent, Captures.reason)) struct AppAttestTests {
    private typealias App = AppAttest.AppID

    private static func verify(
        _ capture: Captures.AppAttest, object: [UInt8]? = nil, keyID: [UInt8]? = nil,
        hash: [UInt8]? = nil, app: AppAttest.AppID? = nil,
        environments: Set<AppAttest.Environment> = [.development],
        anchors: [TrustAnchor] = TrustAnchor.appleAppAttest, at: Instant? = nil
    ) throws -> AppAttestedKey {
        try AppAttest.verifyAttestation(
            object ?? capture.object, keyID: keyID ?? capture.keyID,
            clientDataHash: hash ?? capture.clientDataHash, app: app ?? capture.app,
            environments: environments, anchors: anchors, at: at ?? capture.at)
    }

    @Test func `all recordings exist`() {
        #expect(Captures.attestations.count == 4 && Captures.assertions.count == 4)
    }

    @Test(arguments: Captures.attestations)
    func `a recorded attestation verifies at its time`(capture: Captures.AppAttest) throws {
        let key = try Self.verify(capture)
        #expect(
            key.key.spki == capture.spki && key.keyID == capture.keyID
                && key.environment == .development)
        #expect(
            key.systemVersion == capture.version
                && key.anchor == TrustAnchor.appleAppAttest[0].fingerprint
                && key.receipt.count > 3000)
    }

    @Test(arguments: Captures.attestations)
    func `each swapped part is rejected with its own code`(capture: Captures.AppAttest) throws {
        let other = try #require(Captures.attestations.first { $0.keyID != capture.keyID }),
            day = Duration.seconds(86400)
        #expect(refusal { _ = try Self.verify(capture, keyID: other.keyID) } == .appleKeyID)
        #expect(refusal { _ = try Self.verify(capture, hash: Write.sha256([1])) } == .appleNonce)
        #expect(
            refusal {
                _ = try Self.verify(
                    capture, app: App(team: capture.app.team, bundle: "org.example"))
            } == .relyingParty)
        #expect(
            refusal {
                _ = try Self.verify(
                    capture, app: App(team: "ABCDE12345", bundle: capture.app.bundle))
            } == .relyingParty)
        #expect(
            refusal { _ = try Self.verify(capture, environments: [.production]) }
                == .appleEnvironment)
        #expect(refusal { _ = try Self.verify(capture, at: capture.at + day * 4) } == .chainExpired)
        #expect(
            refusal { _ = try Self.verify(capture, at: capture.at - day * 4) } == .chainNotYetValid)
        #expect(
            refusal { _ = try Self.verify(capture, anchors: TrustAnchor.androidKeyAttestation) }
                == .chainUntrusted)
        #expect(refusal { _ = try Self.verify(capture, anchors: []) } == .chainUntrusted)
        // A root with the same name is a different root.
        let forged = try TestAuthority.named(
            "Apple App Attestation Root CA", "Apple Inc.", "California")
        #expect(
            refusal { _ = try Self.verify(capture, anchors: [forged.anchor], at: capture.at) }
                == .chainUntrusted)
    }

    /// Rebuilds an attestation object from changed parts.
    private static func changed(
        _ capture: Captures.AppAttest,
        _ change: (inout [String: CBORValue], inout [String: CBORValue]) -> Void
    ) throws
        -> [UInt8]
    {
        let value = try CBOR.read(capture.object, form: .ctap2)
        func members(_ value: CBORValue?) throws -> [String: CBORValue] {
            Dictionary(
                uniqueKeysWithValues: try #require(value?.entries).map {
                    ($0.key.textValue!, $0.value)
                })
        }
        var outer = try members(value), statement = try members(value["attStmt"])
        change(&outer, &statement)
        outer["attStmt"] = Write.map(statement)
        return Write.cbor(Write.map(outer))
    }

    @Test func `parts of two attestations do not combine`() throws {
        let capture = Captures.attestations[0],
            other = try CBOR.read(Captures.attestations[1].object, form: .ctap2)
        func code(_ change: (inout [String: CBORValue], inout [String: CBORValue]) -> Void) throws
            -> AttestationError.Code?
        {
            let object = try Self.changed(capture, change)
            return refusal { _ = try Self.verify(capture, object: object) }
        }
        #expect(try code { _, _ in } == nil)
        #expect(try code { outer, _ in outer["authData"] = other["authData"] } == .appleNonce)
        let certificates = try #require(other["attStmt"]?["x5c"]?.arrayValue)
        #expect(
            try code { _, statement in
                statement["x5c"] = .array([certificates[0], statement["x5c"]!.arrayValue![1]])
            } == .chainNotYetValid)
        #expect(try code { outer, _ in outer["fmt"] = "packed" } == .appleFormat)
        #expect(try code { _, statement in statement["x5c"] = .array([]) } == .chainLength)
        #expect(
            try code { _, statement in
                statement["x5c"] = .array(Array(statement["x5c"]!.arrayValue!.prefix(1)))
            } == .chainUntrusted)
        #expect(
            try code { _, statement in
                statement["x5c"] = .array(statement["x5c"]!.arrayValue!.reversed())
            } == .chainBroken)
        #expect(
            try code { _, statement in statement["x5c"] = .array([.bytes([1, 2])]) } == .certificate
        )
        #expect(try code { _, statement in statement["x5c"] = .array(["text"]) } == .form)
        #expect(try code { _, statement in statement["receipt"] = nil } == .form)
        #expect(try code { outer, _ in outer["authData"] = "text" } == .form)
        #expect(refusal { _ = try Self.verify(capture, object: capture.object + [0]) } == .form)
        #expect(refusal { _ = try Self.verify(capture, object: []) } == .form)
    }

    /// The receipt is for Apple and is not verified here, so a change in it goes unnoticed.
    @Test(arguments: Captures.attestations)
    func `a flipped bit is rejected everywhere but in the receipt`(capture: Captures.AppAttest)
        throws
    {
        let receipt = try Self.verify(capture).receipt
        let start = try #require(
            (0..<capture.object.count - receipt.count).first {
                capture.object[$0...].starts(with: receipt)
            })
        for byte in stride(from: 0, to: capture.object.count, by: 7 * Thoroughness.step(4)) {
            var object = capture.object
            object[byte] ^= 1 << UInt8(byte % 8)
            let isReceipt = (start..<start + receipt.count).contains(byte)
            #expect(
                (refusal { _ = try Self.verify(capture, object: object) } == nil) == isReceipt,
                "byte \(byte)")
        }
    }

    private static func assert(
        _ capture: Captures.AppAttest, object: [UInt8]? = nil, hash: [UInt8]? = nil,
        app: AppAttest.AppID? = nil, key: DevicePublicKey? = nil,
        previous: UInt32 = 0
    ) throws -> AppAssertion {
        try AppAttest.verifyAssertion(
            object ?? capture.object, clientDataHash: hash ?? capture.clientDataHash,
            app: app ?? capture.app,
            key: key ?? DevicePublicKey(spki: capture.spki), previousCounter: previous)
    }

    @Test(arguments: Captures.assertions)
    func `a recorded assertion verifies once`(capture: Captures.AppAttest) throws {
        let assertion = try Self.assert(capture)
        #expect(assertion.previousCounter == 0 && Int(assertion.newCounter) == capture.counter)
        #expect(
            refusal { _ = try Self.assert(capture, previous: assertion.newCounter) } == .counter)
        #expect(refusal { _ = try Self.assert(capture, previous: .max) } == .counter)
        #expect(refusal { _ = try Self.assert(capture, hash: Write.sha256([1])) } == .signature)
        #expect(
            refusal {
                _ = try Self.assert(
                    capture, app: App(team: "ABCDE12345", bundle: capture.app.bundle))
            } == .relyingParty)
        let other = try #require(Captures.assertions.first { $0.keyID != capture.keyID })
        #expect(
            refusal { _ = try Self.assert(capture, key: DevicePublicKey(spki: other.spki)) }
                == .signature)
        #expect(
            refusal { _ = try Self.assert(capture, object: Array(capture.object.dropLast())) }
                == .form)
    }

    @Test(arguments: Captures.assertions)
    func `an assertion with a changed bit is rejected`(capture: Captures.AppAttest) {
        for bit in 0..<capture.object.count * 8 {
            var object = capture.object
            object[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(refusal { _ = try Self.assert(capture, object: object) } != nil, "bit \(bit)")
        }
    }
}

/// Tests that need no recordings.
@Suite struct AppAttestMadeTests {
    private static let app = AppAttest.AppID(team: "ABCDE12345", bundle: "org.example.app")
    private static let hash = Write.sha256(Array("challenge".utf8))
    private let root = try! TestAuthority()
    private let signer = try! SoftwareSigner.generate(.es256)

    private func code(_ change: MadeAppAttest) throws -> AttestationError.Code? {
        let made = try change.object(
            signer, by: root, app: "ABCDE12345.org.example.app", clientDataHash: Self.hash)
        return refusal {
            let key = try AppAttest.verifyAttestation(
                made.bytes, keyID: made.keyID, clientDataHash: Self.hash, app: Self.app,
                anchors: [root.anchor], at: TestAuthority.now)
            #expect(
                key.environment == .production && key.key == signer.publicKey
                    && key.systemVersion == nil)
        }
    }

    @Test func `a production key is accepted, and each rule has its code`() throws {
        #expect(try code(MadeAppAttest()) == nil)
        #expect(try code(MadeAppAttest(counter: 1)) == .counter)
        #expect(
            try code(MadeAppAttest(aaguid: Array("appattestdevelop".utf8))) == .appleEnvironment)
        #expect(
            try code(MadeAppAttest(aaguid: [UInt8](repeating: 0, count: 16))) == .appleEnvironment)
        #expect(try code(MadeAppAttest(credentialID: [1, 2, 3])) == .appleCredentialID)
        #expect(
            try code(MadeAppAttest(key: SoftwareSigner.generate(.es256).publicKey)) == .keyMismatch)
        #expect(try code(MadeAppAttest(hasNonce: false)) == .appleNonceMissing)
        // Without the flag, the credential's bytes are unexpected.
        #expect(try code(MadeAppAttest(flags: 0)) == .authenticatorData)
    }

    @Test func `assertions count up from one`() throws {
        func assertion(_ counter: UInt32) throws -> [UInt8] {
            // App Attest's quirk: the flags announce a credential.
            let data = Write.authenticatorData(
                rpID: "ABCDE12345.org.example.app", flags: 0x40, counter: counter)
            let signature = try signer.sign(Write.sha256(data + Self.hash))
            return Write.cbor(
                Write.map([
                    "signature": .bytes(ES256Signature.der(raw: signature)!),
                    "authenticatorData": .bytes(data),
                ]))
        }
        func verify(_ object: [UInt8], _ previous: UInt32) throws -> AppAssertion {
            try AppAttest.verifyAssertion(
                object, clientDataHash: Self.hash, app: Self.app, key: signer.publicKey,
                previousCounter: previous)
        }
        #expect(
            try verify(assertion(1), 0).newCounter == 1
                && verify(assertion(.max), 7).previousCounter == 7)
        for (counter, previous): (UInt32, UInt32) in [(0, 0), (1, 1), (6, 7), (0, .max)] {
            #expect(refusal { _ = try verify(assertion(counter), previous) } == .counter)
        }
    }

    @Test func `Apple's root has the known hash`() {
        #expect(
            TrustAnchor.appleAppAttest.map { Hex.text($0.fingerprint) } == [
                "1cb9823ba28ba6ad2d33a006941de2ae4f513ef1d4e831b9f7e0fa7b6242c932"
            ])
    }
}
