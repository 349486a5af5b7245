package import MienAttestation
internal import MienCore
package import MienKeys

/// A stored credential: the sealed content of a passkey authenticator.
package struct Passkey: Sendable, Hashable {
    package let id: [UInt8]
    package let key: DevicePublicKey
    package var counter: UInt32
    package let isBackupEligible: Bool
    package var isBackedUp: Bool

    package init(_ new: RegisteredCredential) {
        (id, key, counter) = (new.id, new.key, new.counter)
        (isBackupEligible, isBackedUp) = (new.isBackupEligible, new.isBackedUp)
    }

    /// - Returns: `nil` if the content is malformed.
    package init?(_ content: [UInt8]) {
        guard let value = try? JSONText.parse(content),
            let id = value["id"]?.stringValue.flatMap({ Base64URL.decode($0) }),
            let key = value["key"].flatMap({ try? DevicePublicKey(jwk: $0) }),
            let counter = value["counter"]?.numberValue,
            let number = UInt32(exactly: counter),
            case .bool(let isBackupEligible)? = value["backup_eligible"],
            case .bool(let isBackedUp)? = value["backed_up"]
        else { return nil }
        (self.id, self.key, self.counter, self.isBackupEligible, self.isBackedUp) = (
            id, key, number, isBackupEligible, isBackedUp
        )
    }

    package var content: [UInt8] {
        let value: JSONValue = [
            "id": .string(Base64URL.encode(id)), "key": key.jwk,
            "counter": .number(Double(counter)), "backup_eligible": .bool(isBackupEligible),
            "backed_up": .bool(isBackedUp),
        ]
        return Array(JSONText.write(value).utf8)
    }
}

/// A registered passkey, as shown to its owner.
package struct OwnPasskey: Codable, Sendable, Hashable {
    let id, name, algorithm, aaguid: String
    let transports: [String]
    let attestation: String
    /// Whether the passkey can be on several devices, and whether it was when last used.
    let isBackupEligible, isBackedUp: Bool
    let createdAt: Int64
    let usedAt: Int64?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, algorithm, aaguid, transports, attestation, isBackupEligible =
            "backup_eligible", isBackedUp = "backed_up"
        case createdAt = "created_at", usedAt = "used_at"
    }
}

extension AttestationProof {
    /// A description for people and for the audit log.
    var words: String {
        switch self {
        case .nothing: "none"
        case .selfSigned: "self"
        case .unanchored(let format): "unanchored \(format.rawValue)"
        case .anchored(let format, _): "anchored \(format.rawValue)"
        }
    }
}
