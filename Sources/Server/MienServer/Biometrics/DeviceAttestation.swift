internal import Foundation
internal import MienAttestation
internal import MienCore
internal import MienKeys

/// What a client gives to prove where its key lives or what it runs in:
/// `{"format": "android-key", "chain": […]}` or
/// `{"format": "apple-appattest", "object": …, "key_id": …}`, bytes in base64.
enum DeviceAttestation: Sendable {
    case androidKey(chain: [[UInt8]])
    case appleAppAttest(object: [UInt8], keyID: [UInt8])

    enum Format: String, Sendable, CaseIterable {
        case androidKey = "android-key", appleAppAttest = "apple-appattest"
    }

    private static let maxCertificates = 8

    var format: Format {
        switch self {
        case .androidKey: .androidKey
        case .appleAppAttest: .appleAppAttest
        }
    }

    /// - Throws: words that say what it should be, for a client's maker.
    init(_ value: JSONValue) throws(MalformedAttestation) {
        guard let members = value.objectValue, let name = members["format"]?.stringValue,
            let format = Format(rawValue: name)
        else {
            throw MalformedAttestation(
                reason:
                    "is an object whose “format” is \(Format.allCases.map(\.rawValue).joined(separator: " or "))"
            )
        }
        switch format {
        case .androidKey:
            try Self.check(members, only: ["format", "chain"])
            guard let items = members["chain"]?.arrayValue,
                (1...Self.maxCertificates).contains(items.count)
            else {
                throw MalformedAttestation(
                    reason:
                        "“chain” is a list of 1 to \(Self.maxCertificates) certificates, the key's own first"
                )
            }
            let chain = items.compactMap { Self.bytes($0) }
            guard chain.count == items.count else {
                throw MalformedAttestation(reason: "“chain” holds certificates as DER in base64")
            }
            self = .androidKey(chain: chain)
        case .appleAppAttest:
            try Self.check(members, only: ["format", "object", "key_id"])
            guard let object = Self.bytes(members["object"]),
                let keyID = Self.bytes(members["key_id"])
            else {
                throw MalformedAttestation(reason: "“object” and “key_id” are base64")
            }
            self = .appleAppAttest(object: object, keyID: keyID)
        }
    }

    private static func check(_ members: [String: JSONValue], only known: [String])
        throws(MalformedAttestation)
    {
        guard members.keys.allSatisfy(known.contains) else {
            throw MalformedAttestation(
                reason:
                    "has the members \(known.map { "“\($0)”" }.joined(separator: ", ")) and no others"
            )
        }
    }

    private static func bytes(_ value: JSONValue?) -> [UInt8]? {
        value?.stringValue.flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) }
    }
}

/// What is wrong with an attestation's form, before anything of it is judged.
struct MalformedAttestation: Error { let reason: String }

/// What was proved when a key was registered. Shown to administrators.
struct ProvedAttestation: Sendable, Hashable {
    /// Of the authenticator's `info`.
    let info: [String: JSONValue]
    /// How the device verifies its user before the key signs; `nil` if the attestation does not
    /// say.
    let userVerification: DeviceKeyService.KeyUserVerification?

    init(_ key: AndroidAttestedKey) {
        let description = key.description,
            level = min(description.attestationSecurityLevel, description.keyMintSecurityLevel)
        var info: [String: JSONValue] = [
            "format": .string(DeviceAttestation.Format.androidKey.rawValue),
            "level": .string(level == .strongBox ? "strongbox" : "tee"),
        ]
        // Year and month, or year, month and day, as the key store writes them.
        info["os_patch"] = description.hardwareEnforced.systemPatchLevel.map { .string(String($0)) }
        self.info = info
        // Bit 1 is a biometric, bit 0 the device's PIN, pattern, or password: KeyMint's
        // HardwareAuthenticatorType.
        userVerification =
            switch description.hardwareEnforced.userAuthenticationType ?? 0 {
            case 2: .biometric
            case let type where type & 3 != 0: .biometricOrPIN
            default: DeviceKeyService.KeyUserVerification.none
            }
    }

    init(_ key: AppAttestedKey) {
        var info: [String: JSONValue] = [
            "format": .string(DeviceAttestation.Format.appleAppAttest.rawValue),
            "level": .string("app"),
            "environment": .string(key.environment.rawValue),
        ]
        info["os_version"] = key.systemVersion.map { .string($0) }
        self.info = info
        // App Attest proves the app, which then says what opens its key.
        userVerification = nil
    }
}
