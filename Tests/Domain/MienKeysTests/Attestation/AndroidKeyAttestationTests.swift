import MienAttestation
import MienCore
import MienKeys
import MienServerTesting
import MienTesting
import Testing
import X509

@Suite(.enabled(if: Captures.arePresent, Captures.reason)) struct AndroidCaptureTests {
    /// The policy that the recordings satisfy: none of their keys requires a finger, and some
    /// devices are unlocked.
    private static let lax: AndroidKeyPolicy = {
        var policy = AndroidKeyPolicy()
        (policy.boot, policy.userAuthentication) = (.any, .any)
        return policy
    }()

    private static func verify(
        _ capture: Captures.Android, chain: [[UInt8]]? = nil, challenge: [UInt8]? = nil,
        policy: AndroidKeyPolicy = lax,
        anchors: [TrustAnchor] = TrustAnchor.androidKeyAttestation,
        statuses: AndroidStatusList? = nil, at: Instant? = nil
    ) throws -> AndroidAttestedKey {
        try AndroidKeyAttestation.verify(
            chain: chain ?? capture.chain, challenge: challenge ?? capture.challenge,
            policy: policy, anchors: anchors, statuses: statuses,
            at: at ?? capture.at)
    }

    @Test func `all recordings exist`() { #expect(Captures.android.count == 7) }

    @Test(arguments: Captures.android)
    func `a recorded chain verifies at its time, and its extension matches its description`(
        capture: Captures.Android
    ) throws {
        let result = try Self.verify(capture), description = result.description, json = capture.json
        let levels = ["SOFTWARE": 0, "TRUSTED_ENVIRONMENT": 1, "STRONG_BOX": 2]
        #expect(description.attestationVersion == Int(json["attestationVersion"]!.stringValue!))
        #expect(description.keyMintVersion == Int(json["keyMintVersion"]!.stringValue!))
        #expect(
            description.attestationSecurityLevel.rawValue
                == levels[json["attestationSecurityLevel"]!.stringValue!])
        #expect(
            description.keyMintSecurityLevel.rawValue
                == levels[json["keyMintSecurityLevel"]!.stringValue!])
        #expect(
            description.challenge == capture.challenge
                && result.anchor == TrustAnchor.androidKeyAttestation[0].fingerprint)
        Expected(json["softwareEnforced"]!).compare(description.softwareEnforced)
        Expected(json["hardwareEnforced"]!).compare(description.hardwareEnforced)
        #expect(
            result.key.algorithm == (description.hardwareEnforced.algorithm == 1 ? .rs256 : .es256))
    }

    @Test(arguments: Captures.android)
    func `the default policy rejects a key without user authentication, and an unlocked device`(
        capture: Captures.Android
    ) throws {
        let isLocked = capture.json["hardwareEnforced"]!["rootOfTrust"]!["deviceLocked"] == true
        #expect(
            refusal { _ = try Self.verify(capture, policy: AndroidKeyPolicy()) }
                == (isLocked ? .androidUserAuthentication : .androidUnlocked))
        var biometric = Self.lax
        biometric.userAuthentication = .biometric
        #expect(
            refusal { _ = try Self.verify(capture, policy: biometric) }
                == .androidUserAuthentication)
        var strong = Self.lax
        strong.minimumLevel = .strongBox
        let isStrong = capture.json["attestationSecurityLevel"] == "STRONG_BOX"
        #expect(
            refusal { _ = try Self.verify(capture, policy: strong) }
                == (isStrong ? nil : .androidSecurityLevel))
    }

    @Test(arguments: Captures.android)
    func `each swapped part is rejected with its own code`(capture: Captures.Android) throws {
        let day = Duration.seconds(86400), chain = capture.chain
        #expect(
            refusal { _ = try Self.verify(capture, challenge: capture.challenge + [0]) }
                == .challenge)
        #expect(refusal { _ = try Self.verify(capture, challenge: []) } == .challenge)
        #expect(
            refusal { _ = try Self.verify(capture, at: capture.at + day * 100) } == .chainExpired)
        #expect(
            refusal { _ = try Self.verify(capture, at: capture.at - day * 100) }
                == .chainNotYetValid)
        #expect(
            refusal {
                _ = try Self.verify(capture, anchors: [TrustAnchor.androidKeyAttestation[1]])
            } == .chainUntrusted)
        #expect(
            refusal { _ = try Self.verify(capture, anchors: TrustAnchor.appleAppAttest) }
                == .chainUntrusted)
        #expect(
            refusal { _ = try Self.verify(capture, chain: Array(chain.dropFirst())) }
                == .androidNoExtension)
        #expect(
            refusal { _ = try Self.verify(capture, chain: Array(chain.dropLast(2))) }
                == .chainUntrusted)
        #expect(
            refusal { _ = try Self.verify(capture, chain: [chain[0]] + chain.dropFirst(2)) }
                == .chainBroken)
        #expect(refusal { _ = try Self.verify(capture, chain: chain.reversed()) } != nil)
        #expect(refusal { _ = try Self.verify(capture, chain: []) } == .chainLength)
        // The chain without its root is equivalent.
        #expect(
            try Self.verify(capture, chain: Array(chain.dropLast())).key == Self.verify(capture).key
        )
        let other = try #require(Captures.android.first { $0.chain[1] != chain[1] })
        #expect(
            refusal { _ = try Self.verify(capture, chain: [other.chain[0]] + chain.dropFirst()) }
                == .chainBroken)
        var wanted = Self.lax
        wanted.packages = ["org.example.app"]
        #expect(refusal { _ = try Self.verify(capture, policy: wanted) } == .androidApplication)
    }

    /// Only name and key of the included root count; it is replaced with the anchor.
    @Test(arguments: Captures.android)
    func `a flipped bit below the root is rejected`(capture: Captures.Android) {
        for index in capture.chain.indices.dropLast() {
            // Every byte around the signature, where nothing is signed.
            let count = capture.chain[index].count, tail = max(0, count - 125)
            for byte in [
                stride(from: index, to: tail, by: 13 * Thoroughness.step(4)),
                stride(from: max(index, tail), to: count, by: Thoroughness.step(7)),
            ].joined() {
                var chain = capture.chain
                chain[index][byte] ^= 1 << UInt8(byte % 8)
                #expect(
                    refusal { _ = try Self.verify(capture, chain: chain) } != nil,
                    "certificate \(index), byte \(byte)")
            }
        }
    }

    @Test(arguments: Captures.android)
    func `a certificate on the status list is rejected, however its number is written`(
        capture: Captures.Android
    ) throws {
        for der in capture.chain {
            let serial = try Hex.text(Array(Certificate(derEncoded: der).serialNumber.bytes))
            for written in [
                serial, serial.uppercased(), "00" + serial, String(serial.drop { $0 == "0" }),
            ] {
                let list = try AndroidStatusList(
                    json: Array(
                        #"{"entries":{"\#(written)":{"status":"SUSPENDED","reason":"KEY_COMPROMISE"}}}"#
                            .utf8))
                #expect(refusal { _ = try Self.verify(capture, statuses: list) } == .revoked)
            }
        }
        let others = try AndroidStatusList(
            json: Array(#"{"entries":{"abcdef0123456789":{"status":"REVOKED"}}}"#.utf8))
        #expect(refusal { _ = try Self.verify(capture, statuses: others) } == nil)
    }
}

/// An authorization list from the recordings' JSON.
private struct Expected {
    let json: JSONValue

    init(_ json: JSONValue) { self.json = json }

    private func number(_ name: String) -> Int? { json[name]?.stringValue.flatMap(Int.init) }
    private func numbers(_ name: String) -> Set<Int>? {
        json[name]?.arrayValue.map { Set($0.compactMap { $0.stringValue.flatMap(Int.init) }) }
    }
    private func bytes(_ value: JSONValue?) -> [UInt8]? {
        value?.stringValue.flatMap { Data64.decode($0) }
    }

    func compare(_ list: AuthorizationList) {
        #expect(
            list.purposes == numbers("purposes") && list.algorithm == number("algorithms")
                && list.keySize == number("keySize"))
        #expect(
            list.digests == numbers("digests") && list.paddings == numbers("paddings")
                && list.curve == number("ecCurve"))
        #expect(
            list.rsaExponent == number("rsaPublicExponent")
                && list.noAuthenticationRequired == (json["noAuthRequired"] == true))
        #expect(
            list.userAuthenticationType == number("userAuthType")
                && list.authenticationTimeoutSeconds == number("authTimeout"))
        #expect(list.presenceRequired == (json["trustedUserPresenceRequired"] == true))
        #expect(
            list.created?.milliseconds == number("creationDateTime").map(Int64.init)
                && (list.origin == .generated) == (json["origin"] == "GENERATED")
        )
        #expect(
            list.systemVersion == number("osVersion")
                && list.systemPatchLevel == number("osPatchLevel"))
        #expect(
            list.vendorPatchLevel == number("vendorPatchLevel")
                && list.bootPatchLevel == number("bootPatchLevel"))
        #expect(
            list.brand == json["attestationIdBrand"]?.stringValue
                && list.device == json["attestationIdDevice"]?.stringValue)
        #expect(
            list.product == json["attestationIdProduct"]?.stringValue
                && list.model == json["attestationIdModel"]?.stringValue)
        #expect(
            list.manufacturer == json["attestationIdManufacturer"]?.stringValue
                && list.moduleHash == bytes(json["moduleHash"]))
        for (found, name) in [
            (list.imei, "attestationIdImei"), (list.secondIMEI, "attestationIdSecondImei"),
        ] {
            #expect(
                found.map { $0.use { String(decoding: $0, as: UTF8.self) } }
                    == json[name]?.stringValue)
        }
        #expect(list.otherTags.isEmpty)
        let root = json["rootOfTrust"]
        #expect(
            list.rootOfTrust?.bootKey == bytes(root?["verifiedBootKey"])
                && list.rootOfTrust?.bootHash == bytes(root?["verifiedBootHash"]))
        #expect(list.rootOfTrust?.isLocked == root?["deviceLocked"]?.boolValue)
        #expect(
            list.rootOfTrust?.state.rawValue
                == root?["verifiedBootState"]?.stringValue.flatMap {
                    ["VERIFIED": 0, "UNVERIFIED": 2][$0]
                })
        let application = json["attestationApplicationId"]
        #expect(
            list.application?.packages
                == application?["packages"]?.arrayValue?.map {
                    .init(
                        name: $0["name"]!.stringValue!, version: Int($0["version"]!.stringValue!)!)
                })
        #expect(
            list.application?.signatures
                == application?["signatures"]?.arrayValue?.compactMap { bytes($0) })
    }
}
