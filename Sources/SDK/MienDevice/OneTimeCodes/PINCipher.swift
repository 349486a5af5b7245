#if canImport(MienTPM)
internal import MienCore
internal import MienPassword
internal import MienVault

extension SealPurpose {
    /// What a PIN is mixed with.
    static let tokenPIN = SealPurpose(label: "mien/v1/token-pin")
}

/// Hides a token's secret under a PIN, without anything by which a PIN could be checked.
///
/// The secret is 32 bytes of chance; what hides it is 32 bytes that look like chance, one for each
/// PIN: so every PIN opens *some* secret, each as likely as the next. No length, checksum or code
/// of the secret is kept. The bytes are HMAC-SHA256, under a key of the device's, of Argon2id of
/// the PIN: who has the file without the device cannot even begin, and who has both gets 10,000
/// secrets from 10,000 PINs and no way to choose.
struct PINCipher: Sendable {
    static let secretSize = 32, saltSize = PasswordHasher.saltSize

    /// RFC 9106 §4's second choice on one lane: 64 MiB, three passes.
    static let standardCost = PasswordHasher.Cost(memory: 65_536, passes: 3)

    let key: MasterKey
    /// A token's id: two tokens have nothing in common under one PIN.
    let token: String
    /// Drawn anew with every change.
    let salt: [UInt8]
    let cost: PasswordHasher.Cost

    /// Its own inverse.
    ///
    /// - Parameter bytes: ``secretSize`` of them.
    /// - Throws: ``OTPTokenError`` `.storage` when there is no memory to stretch the PIN in.
    func applied(to bytes: [UInt8], _ pin: PINInput) throws(OTPTokenError) -> [UInt8] {
        precondition(
            bytes.count == Self.secretSize && salt.count == Self.saltSize, "a secret and a salt")
        var mask = try mask(pin)
        defer { wipe(&mask) }
        return zip(bytes, mask).map { $0 ^ $1 }
    }

    private func mask(_ pin: PINInput) throws(OTPTokenError) -> [UInt8] {
        var stretched: [UInt8]
        do { stretched = try PasswordHasher(cost: cost).stretched(pin.digits, salt: salt) } catch {
            throw OTPTokenError(.storage, "the PIN cannot be stretched: \(error)")
        }
        defer { wipe(&stretched) }
        let name = Array(token.utf8)
        return key.code(
            for: [
                UInt8(truncatingIfNeeded: name.count >> 8), UInt8(truncatingIfNeeded: name.count),
            ] + name + salt + stretched, purpose: .tokenPIN)
    }
}
#endif
