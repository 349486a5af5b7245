internal import MienCore
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
/// is stored. The hiding bytes are HMAC-SHA256, under a device key, of the stretched PIN. An
/// attacker with the file but not the device cannot start guessing. An attacker with both gets
/// 10,000 secrets from 10,000 PINs and cannot tell which is right.
package struct PINCipher: Sendable {
    package static let saltSize = 16
    static let secretSize = 32

    let key: MasterKey
    /// The OTP token's id. It makes two tokens with one PIN independent of each other.
    let token: String
    /// A salt drawn for each change.
    let salt: [UInt8]
    let hasher: any PINHasher
    /// The hasher's cost when the secret was hidden.
    let cost: [Int]

    /// Hides or recovers a secret; the function is its own inverse.
    ///
    /// - Parameter bytes: Up to ``secretSize`` bytes.
    /// - Throws: ``OTPTokenError`` `.storage` if there is not enough memory to stretch the PIN, or
    ///   the cost is not one of the hasher's.
    func applied(to bytes: [UInt8], _ pin: PINInput) throws(OTPTokenError) -> [UInt8] {
        precondition(
            bytes.count <= Self.secretSize && salt.count == Self.saltSize, "a secret and a salt")
        var mask = try mask(pin)
        defer { wipe(&mask) }
        return zip(bytes, mask).map { $0 ^ $1 }
    }

    private func mask(_ pin: PINInput) throws(OTPTokenError) -> [UInt8] {
        let found: [UInt8]?
        do { found = try hasher.stretched(pin.digits, salt: salt, cost: cost) } catch {
            throw OTPTokenError(.storage, "The PIN cannot be stretched: \(error)")
        }
        guard var stretched = found else { throw OTPStoredToken.damaged }
        defer { wipe(&stretched) }
        let name = Array(token.utf8)
        return key.code(
            for: [
                UInt8(truncatingIfNeeded: name.count >> 8), UInt8(truncatingIfNeeded: name.count),
            ] + name + salt + stretched, purpose: .tokenPIN)
    }
}
