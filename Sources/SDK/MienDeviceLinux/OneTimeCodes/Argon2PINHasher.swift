package import MienCore
internal import MienDevice
package import MienHardware

/// Stretches PINs with Argon2id.
package struct Argon2PINHasher: PINHasher {
    /// The second recommended option of RFC 9106 §4 on one lane: 64 MiB, three passes.
    package static let tokenCost = PasswordHasher.Cost(memory: 65_536, passes: 3)

    private let hasher: PasswordHasher

    package init(_ hasher: PasswordHasher) { self.hasher = hasher }

    package var cost: [Int] { [hasher.cost.memory, hasher.cost.passes, hasher.cost.lanes] }

    package func hash(_ pin: Sensitive<String>, salt: [UInt8]) throws -> String {
        try hasher.hash(pin, salt: salt)
    }

    package func verify(_ pin: Sensitive<String>, against hash: String) -> Bool {
        hasher.verify(pin, against: hash)
    }

    package func stretched(_ pin: Sensitive<String>, salt: [UInt8], cost: [Int]) throws -> [UInt8]?
    {
        guard cost.count == 3, (8...4_194_304).contains(cost[0]), (1...100).contains(cost[1]),
            (1...16).contains(cost[2]), cost[0] >= 8 * cost[2]
        else { return nil }
        let stored = PasswordHasher.Cost(memory: cost[0], passes: cost[1], lanes: cost[2])
        return try PasswordHasher(cost: stored).stretched(pin, salt: salt)
    }
}
