internal import Foundation
public import MienCore
internal import SystemArgon2

/// Argon2id (RFC 9106), through its reference library. Each call blocks for 10 to 50 ms, so call it
/// off the cooperative pool.
public struct PasswordHasher: Sendable {
    /// The cost of a hash. Every hash records its own cost, so costs can be raised while old hashes
    /// remain verifiable.
    public struct Cost: Sendable, Hashable {
        /// Memory in KiB, 8…4,194,304, and at least 8 per lane.
        public let memory: Int
        /// Passes over the memory, 1…100.
        public let passes: Int
        /// Lanes, 1…16.
        public let lanes: Int

        /// - Precondition: All values are in range.
        public init(memory: Int, passes: Int, lanes: Int = 1) {
            precondition(Self.isInRange(memory, passes, lanes), "the cost must be in range")
            (self.memory, self.passes, self.lanes) = (memory, passes, lanes)
        }

        /// 19 MiB, two passes, one lane, as recommended by OWASP's password storage cheat sheet.
        public static let standard = Cost(memory: 19_456, passes: 2)

        fileprivate static func isInRange(_ memory: Int, _ passes: Int, _ lanes: Int) -> Bool {
            (8...4_194_304).contains(memory) && (1...100).contains(passes)
                && (1...16).contains(lanes) && memory >= 8 * lanes
        }

        /// Parses the cost recorded in `encoded`. Fails if it is out of range or if `encoded` does
        /// not have the form `$argon2id$v=19$m=…,t=…,p=…$…`.
        fileprivate init?(of encoded: String) {
            let fields = encoded.split(separator: "$", omittingEmptySubsequences: false)
            guard fields.count == 6, fields[0].isEmpty, fields[1] == "argon2id", fields[2] == "v=19"
            else { return nil }
            let numbers = fields[3].split(separator: ",", omittingEmptySubsequences: false)
            guard numbers.count == 3,
                zip(numbers, ["m=", "t=", "p="]).allSatisfy({ $0.hasPrefix($1) })
            else { return nil }
            let values = numbers.compactMap { Int($0.dropFirst(2)) }
            guard values.count == 3, Self.isInRange(values[0], values[1], values[2]) else {
                return nil
            }
            self.init(memory: values[0], passes: values[1], lanes: values[2])
        }
    }

    public static let saltSize = 16, hashSize = 32

    public let cost: Cost

    public init(cost: Cost = .standard) { self.cost = cost }

    /// Hashes a password.
    ///
    /// - Parameter salt: ``saltSize`` random bytes.
    /// - Returns: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`, the reference library's format.
    /// - Throws: ``PasswordHasherError`` when memory runs out.
    public func hash(_ password: Sensitive<String>, salt: [UInt8]) throws(PasswordHasherError)
        -> String
    {
        precondition(salt.count == Self.saltSize, "a salt must have \(Self.saltSize) bytes")
        let length = argon2_encodedlen(
            UInt32(cost.passes), UInt32(cost.memory), UInt32(cost.lanes), UInt32(salt.count),
            UInt32(Self.hashSize), Argon2_id)
        var encoded = [CChar](repeating: 0, count: length)
        let status = password.use { password in
            let bytes = Self.bytes(password)
            return unsafe argon2id_hash_encoded(
                UInt32(cost.passes), UInt32(cost.memory), UInt32(cost.lanes), bytes, bytes.count,
                salt, salt.count, Self.hashSize, &encoded, length)
        }
        guard status == ARGON2_OK.rawValue else { throw PasswordHasherError(status: status) }
        return String(
            decoding: encoded.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Derives a key from a password without storing a verifier, so that nothing reveals whether a
    /// password is right.
    ///
    /// - Parameter salt: ``saltSize`` random bytes.
    /// - Returns: ``hashSize`` bytes. Wipe them after use.
    /// - Throws: ``PasswordHasherError`` when memory runs out.
    public func stretched(_ password: Sensitive<String>, salt: [UInt8]) throws(PasswordHasherError)
        -> [UInt8]
    {
        precondition(salt.count == Self.saltSize, "a salt must have \(Self.saltSize) bytes")
        var key = [UInt8](repeating: 0, count: Self.hashSize)
        let status = password.use { password in
            let bytes = Self.bytes(password)
            return unsafe argon2id_hash_raw(
                UInt32(cost.passes), UInt32(cost.memory), UInt32(cost.lanes), bytes, bytes.count,
                salt, salt.count, &key, key.count)
        }
        guard status == ARGON2_OK.rawValue else { throw PasswordHasherError(status: status) }
        return key
    }

    /// Verifies a password in constant time.
    /// - Returns: Whether the password matches; `false` also for a malformed hash or a cost out of
    ///   ``Cost``'s range.
    public func verify(_ password: Sensitive<String>, against encoded: String) -> Bool {
        // The library would allocate any amount of memory that a damaged hash requests and stop
        // reading at a NUL.
        guard encoded.utf8.allSatisfy({ (33...126).contains($0) }), Cost(of: encoded) != nil else {
            return false
        }
        return password.use { password in
            let bytes = Self.bytes(password)
            return unsafe argon2id_verify(encoded, bytes, bytes.count) == ARGON2_OK.rawValue
        }
    }

    /// Normalizes to NFKC, so that a password is the same on every keyboard: NIST SP 800-63B-4
    /// §3.1.1.2.
    private static func bytes(_ password: String) -> [UInt8] {
        Array(password.precomposedStringWithCompatibilityMapping.utf8)
    }

    /// Whether `encoded` was made with a cost other than ``cost``. If so, hash the password again
    /// at the next sign-in.
    public func isOutdated(_ encoded: String) -> Bool {
        !encoded.hasPrefix("$argon2id$v=19$m=\(cost.memory),t=\(cost.passes),p=\(cost.lanes)$")
    }
}

/// A failure of the library to hash, nearly always for lack of memory.
public struct PasswordHasherError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The library's status code.
    public let status: Int32
    public var description: String { "password hashing failed with status \(status)" }
}
