/// The public areas (TPMT_PUBLIC) of the three kinds of objects used here.
///
/// Source of the numbers: TPM 2.0 Library part 2, 6.3 "TPM_ALG_ID", 8.3 "TPMA_OBJECT", 12.2 "Public
/// area structures".
enum Template {
    private static let ecc: UInt16 = 0x0023, keyedHash: UInt16 = 0x0008
    private static let sha256: UInt16 = 0x000B, aes: UInt16 = 0x0006, cfb: UInt16 = 0x0043,
        none: UInt16 = 0x0010
    private static let ecdsa: UInt16 = 0x0018, p256: UInt16 = 0x0003

    /// Attributes of objects that cannot leave their TPM or their parent.
    private static let fixed: UInt32 = 0x0000_0012
    private static let madeByTPM: UInt32 = 0x0000_0020
    private static let userWithAuth: UInt32 = 0x0000_0040
    private static let noDictionaryAttack: UInt32 = 0x0000_0400
    private static let restrictedDecrypt: UInt32 = 0x0003_0000
    private static let signs: UInt32 = 0x0004_0000

    /// The ECC storage root key. It is the same at every start, because a primary key is derived
    /// only from the hierarchy's seed and this template. TCG TPM v2.0 Provisioning Guidance, 7.5.1;
    /// its unique fields are 32 zeros each.
    static let storageKey: [UInt8] = {
        var wire = head(
            ecc, fixed | madeByTPM | userWithAuth | noDictionaryAttack | restrictedDecrypt,
            policy: [])
        wire.put(aes, 128, cfb, none, p256, none)
        wire.put(sized: [UInt8](repeating: 0, count: 32))
        wire.put(sized: [UInt8](repeating: 0, count: 32))
        return wire.bytes
    }()

    /// ECDSA with SHA-256 on P-256, with dictionary-attack protection.
    static let signingKey: [UInt8] = {
        var wire = signingKeyHead
        wire.put(0, 0)
        return wire.bytes
    }()

    private static var signingKeyHead: TPMWire {
        var wire = head(ecc, fixed | madeByTPM | userWithAuth | signs, policy: [])
        wire.put(none, ecdsa, sha256, p256, none)
        return wire
    }

    /// With a policy, the auth value alone does not unseal, because the policy requires both it and
    /// the registers.
    static func sealed(policy: [UInt8]) -> [UInt8] {
        var wire = sealedHead(policy: policy)
        wire.put(sized: [])
        return wire.bytes
    }

    private static func sealedHead(policy: [UInt8]) -> TPMWire {
        var wire = head(keyedHash, fixed | (policy.isEmpty ? userWithAuth : 0), policy: policy)
        wire.put(none)
        return wire
    }

    private static func head(_ type: UInt16, _ attributes: UInt32, policy: [UInt8]) -> TPMWire {
        var wire = TPMWire()
        wire.put(type, sha256)
        wire.put(long: attributes)
        wire.put(sized: policy)
        return wire
    }

    /// Returns the point of a key made by ``signingKey``, X9.63; `nil` for any other public area. A
    /// TPM may omit leading zeros.
    static func point(of area: [UInt8]) -> [UInt8]? {
        var reader = TPMReader(area)
        let head = signingKeyHead.bytes
        guard reader.take(head.count) == head, let x = reader.sized(), let y = reader.sized(),
            reader.isAtEnd,
            (1...32).contains(x.count), (1...32).contains(y.count)
        else { return nil }
        return [4] + padded(x) + padded(y)
    }

    /// Whether `area` belongs to data sealed by ``sealed(policy:)``, with a policy if and only if
    /// `hasPolicy`.
    static func isSealed(_ area: [UInt8], hasPolicy: Bool) -> Bool {
        var reader = TPMReader(area)
        let policy = hasPolicy ? Array(area.dropFirst(10).prefix(32)) : []
        let head = sealedHead(policy: policy).bytes
        return reader.take(head.count) == head && reader.sized()?.count == 32 && reader.isAtEnd
            && policy.count == (hasPolicy ? 32 : 0)
    }

    /// Returns r and s of a TPMT_SIGNATURE (ECDSA, SHA-256), 32 bytes each; `nil` for any other
    /// signature.
    static func signature(_ bytes: [UInt8]) -> [UInt8]? {
        var reader = TPMReader(bytes)
        guard reader.short() == ecdsa, reader.short() == sha256, let r = reader.sized(),
            let s = reader.sized(), reader.isAtEnd,
            (1...32).contains(r.count), (1...32).contains(s.count)
        else { return nil }
        return padded(r) + padded(s)
    }

    private static func padded(_ number: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: 32 - number.count) + number
    }
}
