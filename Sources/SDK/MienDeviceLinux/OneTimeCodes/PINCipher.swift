internal import MienCore
internal import MienHardware
internal import MienVault

extension SealPurpose {
    /// The key that PINs are combined with.
    static let tokenPIN = SealPurpose(label: "mien/v1/token-pin")
}

/// Hides an OTP token's secret under a PIN so that no PIN can be checked against it.
///
/// The secret is 32 random bytes, and each PIN hides it with 32 bytes that look random; for the key
/// of a CAP token, 16 of each. So every PIN yields *some* secret, all of them equally likely, since
/// the parity bits of DES keys are random, too. No length, checksum, or code of the secret
/// is stored. The hiding bytes are HMAC-SHA256, under a device key, of Argon2id of the PIN. An
/// attacker with the file but not the device cannot start guessing. An attacker with both gets
/// 10,000 secrets from 10,000 PINs and cannot tell which is right.
struct PINCipher: Sendable {
    static let secretSize = 32, saltSize = PasswordHasher.saltSize

    /// The second recommended option of RFC 9106 §4 on one lane: 64 MiB, three passes.
    static let standardCost = PasswordHasher.Cost(memory: 65_536, passes: 3)

    let key: MasterKey
    /// The OTP token's id. It makes two tokens with one PIN independent of each other.
    let token: String
    /// A salt drawn for each change.
    let salt: [UInt8]
    let cost: PasswordHasher.Cost

    /// Hides or recovers a secret; the function is its own inverse.
    ///
    /// - Parameter bytes: Up to ``secretSize`` bytes.
    /// - Throws: ``OTPTokenError`` `.storage` if there is not enough memory to stretch the PIN.
    func applied(to bytes: [UInt8], _ pin: PINInput) throws(OTPTokenError) -> [UInt8] {
        precondition(
            bytes.count <= Self.secretSize && salt.count == Self.saltSize, "a secret and a salt")
        var mask = try mask(pin)
        defer { wipe(&mask) }
        return zip(bytes, mask).map { $0 ^ $1 }
    }

    private func mask(_ pin: PINInput) throws(OTPTokenError) -> [UInt8] {
        var stretched: [UInt8]
        do { stretched = try PasswordHasher(cost: cost).stretched(pin.digits, salt: salt) } catch {
            throw OTPTokenError(.storage, "The PIN cannot be stretched: \(error)")
        }
        defer { wipe(&stretched) }
        let name = Array(token.utf8)
        return key.code(
            for: [
                UInt8(truncatingIfNeeded: name.count >> 8), UInt8(truncatingIfNeeded: name.count),
            ] + name + salt + stretched, purpose: .tokenPIN)
    }
}
