internal import Foundation
internal import MienAPI
internal import MienAttestation
package import MienCore
internal import MienKeys

/// A client's proof of where its key is stored or which app it runs in, with bytes in base64:
/// `{"format": "android-key", "chain": […]}` or
/// `{"format": "apple-appattest", "object": …, "key_id": …}`.
package enum DeviceAttestation: Sendable {
    case androidKey(chain: [[UInt8]])
    case appleAppAttest(object: [UInt8], keyID: [UInt8])

    package enum Format: String, Sendable, CaseIterable {
        case androidKey = "android-key", appleAppAttest = "apple-appattest"
    }

    private static let maxCertificates = 8

    var format: Format {
        switch self {
        case .androidKey: .androidKey
        case .appleAppAttest: .appleAppAttest
        }
    }

    /// - Throws: ``MalformedAttestation``, whose reason tells the client's developer what is
    ///   expected.
    package init(_ value: JSONValue) throws(MalformedAttestation) {
        guard let members = value.objectValue, let name = members["format"]?.stringValue,
            let format = Format(rawValue: name)
        else {
            throw MalformedAttestation(
                reason:
                    "must be an object whose “format” is \(Format.allCases.map(\.rawValue).joined(separator: " or "))"
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
                        "must have as “chain” a list of 1 to \(Self.maxCertificates) certificates, starting with the key's own"
                )
            }
            let chain = items.compactMap { Self.bytes($0) }
            guard chain.count == items.count else {
                throw MalformedAttestation(
                    reason: "must have base64-encoded DER certificates in “chain”")
            }
            self = .androidKey(chain: chain)
        case .appleAppAttest:
            try Self.check(members, only: ["format", "object", "key_id"])
            guard let object = Self.bytes(members["object"]),
                let keyID = Self.bytes(members["key_id"])
            else {
                throw MalformedAttestation(reason: "must have base64 text in “object” and “key_id”")
            }
            self = .appleAppAttest(object: object, keyID: keyID)
        }
    }

    /// Parses an attestation as text: the JSON above, or what Apple's `attestKey` returns, in
    /// base64. The latter has no key ID beside it, but contains one.
    package init(text: String) throws(MalformedAttestation) {
        if let object = Data(base64Encoded: text), object.first != UInt8(ascii: "{") {
            guard let keyID = try? AppAttest.keyID(of: [UInt8](object)) else {
                throw MalformedAttestation(
                    reason: "must be JSON, or an App Attest object in base64")
            }
            self = .appleAppAttest(object: [UInt8](object), keyID: keyID)
            return
        }
        guard let value = try? JSONText.parse(text) else {
            throw MalformedAttestation(reason: "is not JSON")
        }
        try self.init(value)
    }

    private static func check(_ members: [String: JSONValue], only known: [String])
        throws(MalformedAttestation)
    {
        guard members.keys.allSatisfy(known.contains) else {
            throw MalformedAttestation(
                reason:
                    "must have the members \(known.map { "“\($0)”" }.joined(separator: ", ")) and no others"
            )
        }
    }

    private static func bytes(_ value: JSONValue?) -> [UInt8]? {
        value?.stringValue.flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) }
    }
}

/// A format error in an attestation, found before the attestation is verified.
package struct MalformedAttestation: Error {
    package let reason: String
}

/// The properties that were proved when a key was registered. Shown to administrators.
package struct ProvedAttestation: Sendable, Hashable {
    /// Members of the authenticator's `info`.
    let info: [String: JSONValue]
    /// How the device verifies its user before the key signs; `nil` if the attestation does not
    /// say.
    let userVerification: KeyUserVerification?

    init(_ key: AndroidAttestedKey) {
        let description = key.description,
            level = min(description.attestationSecurityLevel, description.keyMintSecurityLevel)
        var info: [String: JSONValue] = [
            "format": .string(DeviceAttestation.Format.androidKey.rawValue),
            "level": .string(level == .strongBox ? "strongbox" : "tee"),
        ]
        // Year and month, or year, month, and day, as the key store writes them.
        info["os_patch"] = description.hardwareEnforced.systemPatchLevel.map { .string(String($0)) }
        self.info = info
        // Bit 1 is a biometric, bit 0 the device's PIN, pattern, or password: KeyMint's
        // HardwareAuthenticatorType.
        userVerification =
            switch description.hardwareEnforced.userAuthenticationType ?? 0 {
            case 2: .biometric
            case let type where type & 3 != 0: .biometricOrPIN
            default: KeyUserVerification.none
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
        // App Attest proves only the app. The app itself reports what unlocks its key.
        userVerification = nil
    }
}
