internal import Crypto
internal import CryptoExtras
package import MienCore

/// Stretches PINs with scrypt (RFC 7914), on systems without Argon2.
package struct ScryptPINHasher: PINHasher {
    /// N, the memory and time: a power of two.
    private let rounds: Int
    /// r and p.
    private let blockSize, parallelism: Int

    private static let hashSize = 32
    /// The range of a stored cost: 128 · N · r bytes are at most 128 MiB.
    private static let roundsRange = 2...1 << 17, blockRange = 1...8, parallelismRange = 1...16

    /// N = 65,536, r = 8, p = 2: 64 MiB, one of the equivalent choices of OWASP's password storage
    /// cheat sheet.
    package static let standard = ScryptPINHasher(rounds: 1 << 16, blockSize: 8, parallelism: 2)

    /// - Precondition: The cost is in range.
    package init(rounds: Int, blockSize: Int, parallelism: Int) {
        precondition(Self.isInRange([rounds, blockSize, parallelism]), "the cost must be in range")
        (self.rounds, self.blockSize, self.parallelism) = (rounds, blockSize, parallelism)
    }

    package var cost: [Int] { [rounds, blockSize, parallelism] }

    private static func isInRange(_ cost: [Int]) -> Bool {
        cost.count == 3 && roundsRange.contains(cost[0]) && cost[0].nonzeroBitCount == 1
            && blockRange.contains(cost[1]) && parallelismRange.contains(cost[2])
    }

    /// - Returns: `$scrypt$N$r$p$salt$hash`, salt and hash in base64url.
    package func hash(_ pin: Sensitive<String>, salt: [UInt8]) throws -> String {
        let hash = try Self.derived(pin, salt, cost)
        return "$scrypt$\(rounds)$\(blockSize)$\(parallelism)"
            + "$\(Base64URL.encode(salt))$\(Base64URL.encode(hash))"
    }

    package func verify(_ pin: Sensitive<String>, against hash: String) -> Bool {
        let fields = hash.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 7, fields[0].isEmpty, fields[1] == "scrypt" else { return false }
        let cost = fields[2...4].compactMap { Int($0) }
        guard Self.isInRange(cost), let salt = Base64URL.decode(String(fields[5])),
            let expected = Base64URL.decode(String(fields[6])), expected.count == Self.hashSize,
            let found = try? Self.derived(pin, salt, cost)
        else { return false }
        return zip(found, expected).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    package func stretched(_ pin: Sensitive<String>, salt: [UInt8], cost: [Int]) throws -> [UInt8]?
    {
        guard Self.isInRange(cost) else { return nil }
        return try Self.derived(pin, salt, cost)
    }

    private static func derived(_ pin: Sensitive<String>, _ salt: [UInt8], _ cost: [Int]) throws
        -> [UInt8]
    {
        var bytes = pin.use { Array($0.utf8) }
        // The library refuses an empty text with a crash.
        guard !bytes.isEmpty, salt.count == PINCipher.saltSize else {
            throw OTPTokenError(.pin, "A PIN needs 4 to 12 digits.")
        }
        defer { wipe(&bytes) }
        let key = try KDF.Scrypt.deriveKey(
            from: bytes, salt: salt, outputByteCount: hashSize, rounds: cost[0],
            blockSize: cost[1], parallelism: cost[2])
        return unsafe key.withUnsafeBytes { unsafe Array($0) }
    }
}
