package import MienCore

/// Makes each guess of a PIN expensive.
package protocol PINHasher: Sendable {
    /// The cost of new hashes, in numbers that are stored beside a stretched PIN.
    var cost: [Int] { get }

    /// Returns a text that contains the salt, the cost, and the hash.
    ///
    /// - Parameter salt: ``PINCipher/saltSize`` random bytes.
    func hash(_ pin: Sensitive<String>, salt: [UInt8]) throws -> String

    /// Compares in constant time. `false` also for a malformed hash.
    func verify(_ pin: Sensitive<String>, against hash: String) -> Bool

    /// Derives 32 bytes from a PIN.
    ///
    /// - Returns: `nil` if the cost is not one of this hasher's.
    /// - Throws: if there is not enough memory.
    func stretched(_ pin: Sensitive<String>, salt: [UInt8], cost: [Int]) throws -> [UInt8]?
}
