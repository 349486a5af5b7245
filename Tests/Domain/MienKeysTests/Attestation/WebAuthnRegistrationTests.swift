import MienAttestation
import MienCore
import MienKeys
import MienServerTesting
import Testing

@Suite struct WebAuthnRegistrationTests {
    private static func verify(
        _ device: VirtualAuthenticator, object: [UInt8]? = nil,
        _ change: (inout RegistrationVerifier) -> Void = { _ in },
        rp: RelyingParty = VirtualAuthenticator.rp
    ) throws -> RegisteredCredential {
        var verifier = RegistrationVerifier(relyingParty: rp)
        change(&verifier)
        return try verifier.verify(
            clientDataJSON: device.clientDataJSON, attestationObject: object ?? device.none,
            challenge: VirtualAuthenticator.challenge,
            at: TestAuthority.now)
    }

    private static func code(_ change: (inout VirtualAuthenticator) -> Void) -> AttestationError
        .Code?
    {
        refusal { _ = try verify(VirtualAuthenticator().with(change)) }
    }

    @Test(arguments: DeviceKeyAlgorithm.allCases)
    func `a credential without attestation is accepted as unattested`(algorithm: DeviceKeyAlgorithm)
        throws
    {
        let device = VirtualAuthenticator(algorithm).with { $0.counter = 3 },
            credential = try Self.verify(device)
        #expect(
            credential.key == device.signer.publicKey && credential.id == device.id
                && credential.counter == 3)
        #expect(
            credential.aaguid == VirtualAuthenticator.aaguid && credential.proof == .nothing
                && credential.isUserVerified)
        #expect(!credential.isBackupEligible && !credential.isBackedUp)
    }

    @Test(arguments: DeviceKeyAlgorithm.allCases)
    func `a self-signed key proves only itself`(algorithm: DeviceKeyAlgorithm) throws {
        let device = VirtualAuthenticator(algorithm)
        #expect(try Self.verify(device, object: device.selfAttested()).proof == .selfSigned)
        let other = try SoftwareSigner.generate(algorithm)
        let forged = device.object(
            "packed",
            [
                "alg": VirtualAuthenticator.number(other),
                "sig": .bytes(try VirtualAuthenticator.sign(device.signed, other)),
            ])
        #expect(refusal { _ = try Self.verify(device, object: forged) } == .signature)
        let wrong = device.object(
            "packed",
            ["alg": CBORValue(integer: algorithm == .es256 ? -8 : -7), "sig": .bytes([1])])
        #expect(refusal { _ = try Self.verify(device, object: wrong) } == .algorithm)
    }

    @Test func `wrong client data is rejected`() {
        #expect(Self.code { $0.client["type"] = "webauthn.get" } == .ceremony)
        #expect(Self.code { $0.client["type"] = nil } == .ceremony)
        #expect(
            Self.code { $0.client["challenge"] = .string(Base64URL.encode([1, 2, 3])) }
                == .challenge)
        #expect(
            Self.code {
                $0.client["challenge"] = .string(
                    Base64URL.encode(VirtualAuthenticator.challenge) + "=")
            } == .challenge)
        #expect(Self.code { $0.client["challenge"] = nil } == .challenge)
        for origin in [
            "https://example.com", "http://example.org", "https://example.org/",
            "https://example.org:8443", "https://a.example.org",
            "HTTPS://example.org",
        ] {
            #expect(Self.code { $0.client["origin"] = .string(origin) } == .origin, "\(origin)")
        }
        #expect(Self.code { $0.client["origin"] = nil } == .origin)
        #expect(Self.code { $0.client["crossOrigin"] = true } == .crossOrigin)
        #expect(Self.code { $0.client["topOrigin"] = "https://example.com" } == .crossOrigin)
        #expect(Self.code { $0.client["crossOrigin"] = "false" } == .clientData)
        #expect(
            Self.code { $0.client["tokenBinding"] = ["status": "present", "id": "x"] }
                == .clientData)
        #expect(Self.code { $0.client["tokenBinding"] = ["status": "supported"] } == nil)
        #expect(Self.code { $0.client["crossOrigin"] = nil } == nil)
        #expect(
            Self.code {
                $0.client["other_keys_can_be_added_here"] =
                    "do not compare clientDataJSON against a template"
            } == nil)
        #expect(
            Self.code { $0.client["more"] = .string(String(repeating: "x", count: 8192)) }
                == .clientData)
    }

    @Test func `an empty challenge is rejected`() {
        let device = VirtualAuthenticator().with { $0.client["challenge"] = "" }
        #expect(
            refusal {
                _ = try RegistrationVerifier(relyingParty: VirtualAuthenticator.rp).verify(
                    clientDataJSON: device.clientDataJSON, attestationObject: device.none,
                    challenge: [], at: TestAuthority.now)
            } == .challenge)
    }

    @Test func `frames are accepted only within named pages`() {
        var rp = VirtualAuthenticator.rp
        rp.crossOrigin = .within(["https://outer.example"])
        func code(_ top: JSONValue?) -> AttestationError.Code? {
            let device = VirtualAuthenticator().with {
                ($0.client["crossOrigin"], $0.client["topOrigin"]) = (true, top)
            }
            return refusal { _ = try Self.verify(device, rp: rp) }
        }
        #expect(
            code("https://outer.example") == nil && code("https://other.example") == .crossOrigin
                && code(nil) == .crossOrigin)
    }

    @Test func `wrong authenticator data is rejected`() {
        #expect(Self.code { $0.rpID = "example.com" } == .relyingParty)
        #expect(Self.code { $0.flags = 0x44 } == .userPresence)
        #expect(Self.code { $0.flags = 0x41 } == .userVerification)
        #expect(Self.code { $0.flags = 0x05 } == .authenticatorData)
        #expect(Self.code { $0.flags = 0x55 } == .backup)
        #expect(Self.code { $0.flags = 0x4d } == nil && Self.code { $0.flags = 0x5d } == nil)
        #expect(Self.code { $0.id = [] } == .authenticatorData)
        #expect(
            Self.code { $0.id = [UInt8](repeating: 1, count: 1023) } == nil
                && Self.code { $0.id = [UInt8](repeating: 1, count: 1024) } == .authenticatorData)
        #expect(Self.code { $0.more = [0] } == .authenticatorData)
        #expect(
            Self.code {
                ($0.flags, $0.more) = (0xc5, Write.cbor(Write.map(["credProtect": .unsigned(2)])))
            } == nil)
        #expect(Self.code { ($0.flags, $0.more) = (0xc5, [1]) } == .authenticatorData)
        #expect(Self.code { $0.flags = 0xc5 } == .authenticatorData)
    }

    @Test func `a policy can allow presence alone and require device-bound keys and algorithms`()
        throws
    {
        var rp = VirtualAuthenticator.rp
        rp.requiresUserVerification = false
        #expect(
            try !Self.verify(VirtualAuthenticator().with { $0.flags = 0x41 }, rp: rp).isUserVerified
        )
        rp.backup = .deviceBoundOnly
        #expect(
            refusal { _ = try Self.verify(VirtualAuthenticator().with { $0.flags = 0x4d }, rp: rp) }
                == .backup)
        #expect(try Self.verify(VirtualAuthenticator(), rp: rp).proof == .nothing)
        #expect(
            refusal {
                _ = try Self.verify(
                    VirtualAuthenticator(.rs256), { $0.algorithms = [.es256, .edDSA] })
            } == .algorithm)
        for object in [VirtualAuthenticator().none] {
            #expect(
                refusal {
                    _ = try Self.verify(
                        VirtualAuthenticator(), object: object, { $0.requirement = .anchored })
                } == .insufficient)
        }
        let device = VirtualAuthenticator()
        #expect(
            refusal {
                _ = try Self.verify(
                    device, object: device.selfAttested(), { $0.requirement = .anchored })
            } == .insufficient)
        let synced = try Self.verify(VirtualAuthenticator().with { $0.flags = 0x5d })
        #expect(synced.isBackupEligible && synced.isBackedUp)
    }

    @Test func `the members of an attestation object may have any order`() throws {
        let device = VirtualAuthenticator(), own = try device.selfAttested()
        for object in [device.none, own] {
            let members = try #require(try CBOR.read(object, form: .ctap2).entries)
            for (a, b, c) in [(0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)] {
                // Those of the statement, too.
                let shuffled = [members[a], members[b], members[c]].map { entry in
                    entry.value.entries.map { CBOREntry(entry.key, .map($0.reversed())) } ?? entry
                }
                #expect(
                    refusal { _ = try Self.verify(device, object: Write.cbor(.map(shuffled))) }
                        == nil)
            }
        }
    }

    @Test func `a malformed attestation object is rejected`() throws {
        let device = VirtualAuthenticator()
        func code(_ object: [UInt8]) -> AttestationError.Code? {
            refusal { _ = try Self.verify(device, object: object) }
        }
        #expect(code(device.object("none", ["a": .unsigned(1)])) == .statement)
        #expect(
            code(device.object("android-safetynet", [:])) == .format
                && code(device.object("", [:])) == .format)
        #expect(
            code([]) == .form && code(device.none + [0]) == .form
                && code(Write.cbor(.array([]))) == .form)
        #expect(code(Write.cbor(Write.map(["fmt": "none", "attStmt": .map([])]))) == .form)
        #expect(
            code(
                Write.cbor(
                    Write.map([
                        "fmt": "none", "attStmt": "x", "authData": .bytes(device.authenticatorData),
                    ]))) == .form)
        // Twice the same member.
        let members = [
            CBOREntry("fmt", "none"), CBOREntry("fmt", "none"), CBOREntry("attStmt", .map([])),
            CBOREntry("authData", .bytes(device.authenticatorData)),
        ]
        #expect(code(Write.cbor(.map(members))) == .form)
        for format in ["packed", "tpm", "android-key", "apple", "fido-u2f"] {
            #expect(
                [.statement, .algorithm].contains(code(device.object(format, [:]))), "\(format)")
            let empty: [String: CBORValue] = [
                "alg": CBORValue(integer: -7), "sig": "x", "x5c": .array([]),
            ]
            #expect(
                [.statement, .chainLength].contains(code(device.object(format, empty))), "\(format)"
            )
        }
        #expect(
            code(
                device.object(
                    "packed",
                    ["alg": CBORValue(integer: -7), "sig": .bytes([1]), "ecdaaKeyId": .bytes([1])]))
                == .statement)
        for count in stride(from: 0, to: device.none.count, by: 7) {
            #expect(code(Array(device.none[..<count])) != nil)
        }
    }

    /// Without attestation, nothing proves key and ID; everything else is checked.
    @Test func `a self-attested registration with a changed bit is rejected`() throws {
        let device = VirtualAuthenticator(.edDSA), object = try device.selfAttested()
        for bit in 0..<object.count * 8 {
            var wrong = object
            wrong[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(refusal { _ = try Self.verify(device, object: wrong) } != nil, "bit \(bit)")
        }
    }
}

@Suite struct COSEKeyTests {
    private static func changed(_ key: DevicePublicKey, _ label: Int64, _ value: CBORValue?)
        -> CBORValue
    {
        var entries = Write.cose(key).entries!
        let index = entries.firstIndex { $0.key == CBORValue(integer: label) }
        if let index { entries.remove(at: index) }
        if let value {
            entries.insert(CBOREntry(CBORValue(integer: label), value), at: index ?? entries.count)
        }
        return .map(entries)
    }

    private static func code(_ cose: CBORValue) -> AttestationError.Code? {
        refusal { _ = try DevicePublicKey(cose: cose) }
    }

    @Test(arguments: DeviceKeyAlgorithm.allCases)
    func `keys are parsed, and each member matters`(algorithm: DeviceKeyAlgorithm) throws {
        let key = try SoftwareSigner.generate(algorithm).publicKey, cose = Write.cose(key)
        #expect(try DevicePublicKey(cose: cose) == key)
        for entry in cose.entries! {
            let label = entry.key.integerValue!
            #expect(Self.code(Self.changed(key, label, nil)) == .key, "without \(label)")
            #expect(
                [.key, .algorithm].contains(Self.code(Self.changed(key, label, "text"))),
                "text as \(label)")
        }
        #expect(Self.code(Self.changed(key, 4, .array([.unsigned(2)]))) == .key)
        #expect(Self.code(Self.changed(key, -9, .bytes([1]))) == .key)
        for number: Int64 in [-35, -37, -65535, -6, 0, 1, 5, -46] {
            #expect(Self.code(Self.changed(key, 3, CBORValue(integer: number))) == .algorithm)
        }
    }

    @Test func `the algorithms of RFC 9864 are equivalent`() throws {
        let p256 = try SoftwareSigner.generate(.es256).publicKey,
            ed25519 = try SoftwareSigner.generate(.edDSA).publicKey
        #expect(try DevicePublicKey(cose: Self.changed(p256, 3, CBORValue(integer: -9))) == p256)
        #expect(
            try DevicePublicKey(cose: Self.changed(ed25519, 3, CBORValue(integer: -19))) == ed25519)
        #expect(Self.code(Self.changed(p256, 3, CBORValue(integer: -8))) == .key)
        #expect(
            Self.code(Self.changed(p256, -1, .unsigned(2))) == .key
                && Self.code(Self.changed(p256, -3, .true)) == .key)
        #expect(Self.code(Self.changed(p256, -2, .bytes([UInt8](repeating: 1, count: 32)))) == .key)
        #expect(Self.code(.unsigned(1)) == .key)
    }
}
