internal import Foundation

/// The hash of a password that another product made. It is checked once: the first sign-in replaces
/// it with a hash of ``PasswordHasher``.
///
/// The costs that it may name are bounded, so that a hostile file cannot make a sign-in take minutes
/// or gigabytes: at most about a second and 256 MiB.
public struct ForeignPasswordHash: Sendable, Hashable {
    enum Scheme: Sendable, Hashable {
        /// bcrypt with two to the power of `cost` rounds.
        case bcrypt(cost: Int)
        case argon2id(memory: Int, passes: Int, lanes: Int)
        case pbkdf2(PBKDF2Function, rounds: Int)
        /// scrypt with two to the power of `logN` steps.
        case scrypt(logN: Int, blockSize: Int, parallelism: Int)
    }

    enum PBKDF2Function: String, Sendable, Hashable, CaseIterable {
        case sha1, sha256, sha512

        init?(name: Substring) {
            guard name.hasPrefix("pbkdf2") else { return nil }
            switch name.dropFirst(6) {
            case "", "-sha1": self = .sha1
            case "-sha256": self = .sha256
            case "-sha512": self = .sha512
            default: return nil
            }
        }
    }

    let scheme: Scheme
    /// For bcrypt, the salt as it is written.
    let salt: [UInt8]
    /// For bcrypt, the hash as it is written.
    let digest: [UInt8]

    private init(_ scheme: Scheme, salt: [UInt8], digest: [UInt8]) {
        (self.scheme, self.salt, self.digest) = (scheme, salt, digest)
    }

    /// The longest text that is a hash, in bytes.
    public static let maxBytes = 512
    static let saltBytes = 8...64, digestBytes = 16...64
    private static let bcryptSalt = 22, bcryptDigest = 31

    /// Parses `$2b$10$…` (also `$2a$` and `$2y$`), or a PHC string: `$argon2id$v=19$m=…,t=…,p=…$…$…`,
    /// `$pbkdf2-sha256$i=…$…$…`, `$scrypt$ln=…,r=…,p=…$…$…`. Base64 may be padded.
    public init(_ text: String) throws(ForeignPasswordHashError) {
        guard text.utf8.count <= Self.maxBytes, text.utf8.allSatisfy({ (33...126).contains($0) })
        else { throw .malformed }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].isEmpty else { throw .kind }
        switch parts[1] {
        case "2a", "2b", "2y": try self.init(bcrypt: parts)
        case "argon2id": try self.init(argon2id: parts)
        case "scrypt": try self.init(scrypt: parts)
        default:
            guard let function = PBKDF2Function(name: parts[1]) else { throw .kind }
            try self.init(pbkdf2: parts, function)
        }
    }

    private init(bcrypt parts: [Substring]) throws(ForeignPasswordHashError) {
        let letters = Array(parts[3].utf8)
        guard parts.count == 4, parts[2].utf8.count == 2, let cost = Int(parts[2]),
            letters.count == Self.bcryptSalt + Self.bcryptDigest,
            letters.allSatisfy({
                $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            })
        else { throw .malformed }
        guard (4...14).contains(cost) else { throw .cost("the cost of bcrypt must be 4 to 14") }
        self.init(
            .bcrypt(cost: cost), salt: Array(letters.prefix(Self.bcryptSalt)),
            digest: Array(letters.suffix(Self.bcryptDigest)))
    }

    private init(argon2id parts: [Substring]) throws(ForeignPasswordHashError) {
        guard parts.count == 6, parts[2] == "v=19",
            let values = Self.numbers(parts[3], ["m", "t", "p"])
        else { throw .malformed }
        let (memory, passes, lanes) = (values[0], values[1], values[2])
        guard (1...16).contains(lanes), (8 * lanes...262_144).contains(memory),
            (1...64).contains(passes), memory * passes <= 1_048_576
        else {
            throw .cost(
                "Argon2id may use 256 MiB (m=262144), 16 lanes, and 64 passes, and memory times passes at most 1 GiB"
            )
        }
        try self.init(.argon2id(memory: memory, passes: passes, lanes: lanes), parts[4], parts[5])
    }

    private init(scrypt parts: [Substring]) throws(ForeignPasswordHashError) {
        guard parts.count == 5, let values = Self.numbers(parts[2], ["ln", "r", "p"]) else {
            throw .malformed
        }
        let (logN, blockSize, parallelism) = (values[0], values[1], values[2])
        guard (4...20).contains(logN), (1...64).contains(blockSize), (1...64).contains(parallelism),
            (1 << logN) * blockSize * parallelism <= 2_097_152
        else {
            throw .cost(
                "scrypt may use 256 MiB in all, which is 128 bytes times r, times p, times two to the power of ln"
            )
        }
        try self.init(
            .scrypt(logN: logN, blockSize: blockSize, parallelism: parallelism), parts[3], parts[4])
    }

    private init(pbkdf2 parts: [Substring], _ function: PBKDF2Function)
        throws(ForeignPasswordHashError)
    {
        guard parts.count == 5 else { throw .malformed }
        let settings = parts[2].split(separator: ",").filter { !$0.hasPrefix("l=") }
        guard settings.count == 1,
            let rounds = Self.number(
                settings[0].hasPrefix("i=") ? settings[0].dropFirst(2) : settings[0])
        else { throw .malformed }
        guard (1000...function.maxRounds).contains(rounds) else { throw function.tooMuch }
        try self.init(.pbkdf2(function, rounds: rounds), parts[3], parts[4])
        guard work <= function.maxRounds else { throw function.tooMuch }
    }

    private init(_ scheme: Scheme, _ salt: Substring, _ digest: Substring)
        throws(ForeignPasswordHashError)
    {
        guard let salt = Self.base64(salt), let digest = Self.base64(digest) else {
            throw .malformed
        }
        guard Self.saltBytes.contains(salt.count), Self.digestBytes.contains(digest.count) else {
            throw .size
        }
        self.init(scheme, salt: salt, digest: digest)
    }

    /// Reads `m=19456,t=2,p=1`, in this order.
    private static func numbers(_ text: Substring, _ names: [String]) -> [Int]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == names.count else { return nil }
        var values: [Int] = []
        for (part, name) in zip(parts, names) {
            guard part.hasPrefix("\(name)="), let value = number(part.dropFirst(name.count + 1))
            else { return nil }
            values.append(value)
        }
        return values
    }

    private static func number(_ text: Substring) -> Int? {
        guard (1...9).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(text)
    }

    /// Decodes base64 with or without padding, also with “.” for “+”, as passlib writes it.
    private static func base64(_ text: Substring) -> [UInt8]? {
        var letters = text.replacing(".", with: "+").prefix { $0 != "=" }
        guard text.utf8.count - letters.utf8.count <= 2, letters.utf8.count % 4 != 1 else {
            return nil
        }
        while letters.utf8.count % 4 != 0 { letters += "=" }
        return Data(base64Encoded: String(letters)).map { Array($0) }
    }

    /// The canonical text, by which the hash is stored.
    public var text: String {
        switch scheme {
        case .bcrypt:
            setting + String(decoding: salt, as: UTF8.self)
                + String(decoding: digest, as: UTF8.self)
        case .argon2id, .pbkdf2, .scrypt:
            "\(setting)\(Self.unpadded(salt))$\(Self.unpadded(digest))"
        }
    }

    private static func unpadded(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("=", with: "")
    }

    /// The scheme and its cost: the beginning of ``text``. Of hashes with the same setting, none takes
    /// longer than its ``decoy(setting:)``.
    public var setting: String {
        switch scheme {
        case .bcrypt(let cost): "$2b$\(cost < 10 ? "0" : "")\(cost)$"
        case .argon2id(let memory, let passes, let lanes):
            "$argon2id$v=19$m=\(memory),t=\(passes),p=\(lanes)$"
        case .pbkdf2(let function, let rounds): "$pbkdf2-\(function.rawValue)$i=\(rounds)$"
        case .scrypt(let logN, let blockSize, let parallelism):
            "$scrypt$ln=\(logN),r=\(blockSize),p=\(parallelism)$"
        }
    }
}

// MARK: Hashes of no password

extension ForeignPasswordHash {
    /// Returns a hash of no password that takes as long to check as the slowest that `setting`
    /// permits.
    ///
    /// - Parameter setting: ``setting`` of a hash.
    public static func decoy(setting: String) -> ForeignPasswordHash? {
        let salt = String(repeating: "A", count: bcryptSalt)
        guard
            let least = try? ForeignPasswordHash(
                setting.hasPrefix("$2b$")
                    ? setting + salt + String(repeating: "A", count: bcryptDigest)
                    // 16 bytes each.
                    : "\(setting)\(salt)$\(salt)")
        else { return nil }
        var bytes = digestBytes.upperBound
        switch least.scheme {
        case .bcrypt: return least
        case .pbkdf2(let function, let rounds):
            bytes = min(bytes, function.maxRounds / rounds * function.blockBytes)
        case .argon2id, .scrypt: break
        }
        return ForeignPasswordHash(
            least.scheme, salt: least.salt, digest: [UInt8](repeating: 0, count: bytes))
    }

    /// Returns a hash of no password for each scheme of `settings`, six at most. No hash with one of
    /// these settings takes longer to check than that of its scheme.
    ///
    /// - Parameter settings: ``setting`` of any number of hashes.
    public static func dearest(of settings: some Sequence<String>) -> [ForeignPasswordHash] {
        Dictionary(grouping: settings.compactMap { decoy(setting: $0) }, by: \.family)
            .sorted { $0.key < $1.key }
            .compactMap { dearest(ofFamily: $0.value) }
    }

    private static func dearest(ofFamily decoys: [ForeignPasswordHash]) -> ForeignPasswordHash? {
        guard let most = decoys.max(by: { $0.work < $1.work }),
            let largest = decoys.max(by: { $0.memory < $1.memory })
        else { return nil }
        // The same work takes longer with more memory, and with fewer threads.
        let turns = (most.work + largest.memory - 1) / largest.memory
        return switch largest.scheme {
        case .bcrypt, .pbkdf2: most
        case .argon2id(let memory, _, _):
            ForeignPasswordHash(
                .argon2id(memory: memory, passes: turns, lanes: 1), salt: most.salt,
                digest: most.digest)
        case .scrypt(let logN, let blockSize, _):
            ForeignPasswordHash(
                .scrypt(logN: logN, blockSize: blockSize, parallelism: turns), salt: most.salt,
                digest: most.digest)
        }
    }

    /// Hashes of one family compare by their ``work``.
    private var family: String {
        switch scheme {
        case .bcrypt: "bcrypt"
        case .argon2id: "argon2id"
        case .pbkdf2(let function, _): "pbkdf2-\(function.rawValue)"
        case .scrypt: "scrypt"
        }
    }

    /// The cost of checking a password, in units of the family.
    var work: Int {
        switch scheme {
        case .bcrypt(let cost): 1 << cost
        case .argon2id(let memory, let passes, _): memory * passes
        case .pbkdf2(let function, let rounds):
            // Each block of the hash takes all rounds.
            rounds * ((digest.count + function.blockBytes - 1) / function.blockBytes)
        case .scrypt(let logN, let blockSize, let parallelism):
            (1 << logN) * blockSize * parallelism
        }
    }

    /// In units of the family; ``work`` is a multiple of it.
    private var memory: Int {
        switch scheme {
        case .bcrypt, .pbkdf2: 1
        case .argon2id(let memory, _, _): memory
        case .scrypt(let logN, let blockSize, _): (1 << logN) * blockSize
        }
    }
}

extension ForeignPasswordHash.PBKDF2Function {
    /// The size of one block of the hash.
    var blockBytes: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }

    /// The maximum number of iterations times blocks: somewhat less than a second.
    var maxRounds: Int { self == .sha512 ? 1_000_000 : 2_000_000 }

    fileprivate var tooMuch: ForeignPasswordHashError {
        .cost(
            "PBKDF2 must have at least 1,000 iterations, and iterations times blocks of the hash at most 2,000,000 (1,000,000 with SHA-512); a block has 20 bytes with SHA-1, 32 with SHA-256, and 64 with SHA-512"
        )
    }
}

/// The reason why a text is no hash that can be imported. Contains nothing of it.
public enum ForeignPasswordHashError: Error, Sendable, Hashable, CustomStringConvertible {
    case kind, malformed, size
    case cost(String)

    public var description: String {
        switch self {
        case .kind:
            "is not a known kind of hash; allowed are bcrypt ($2a$, $2b$, $2y$), and PHC strings that begin with $argon2id$, $scrypt$, $pbkdf2-sha1$, $pbkdf2-sha256$, or $pbkdf2-sha512$"
        case .malformed:
            "is malformed; write bcrypt as $2b$10$ and 53 characters, and others as PHC strings, such as $pbkdf2-sha256$i=600000$salt$hash in base64"
        case .size: "must have a salt of 8 to 64 bytes and a hash of 16 to 64 bytes"
        case .cost(let reason): "costs too much or too little: \(reason)"
        }
    }
}
