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
            (1 << logN) * blockSize * 128 <= 268_435_456,
            (1 << logN) * blockSize * parallelism <= 4_194_304
        else {
            throw .cost(
                "scrypt may use 256 MiB, which is 128 bytes times r times two to the power of ln; that times p at most 512 MiB"
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
        guard (1000...2_000_000).contains(rounds) else {
            throw .cost("PBKDF2 must have 1,000 to 2,000,000 iterations")
        }
        try self.init(.pbkdf2(function, rounds: rounds), parts[3], parts[4])
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

    /// The scheme and its cost, the same for all hashes that take as long: the beginning of ``text``.
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

    /// Returns a hash of no password that takes as long to check as all those with `setting`.
    ///
    /// - Parameter setting: ``setting`` of a hash.
    public static func decoy(setting: String) -> ForeignPasswordHash? {
        let salt = String(repeating: "A", count: bcryptSalt)
        return try? ForeignPasswordHash(
            setting.hasPrefix("$2b$")
                ? setting + salt + String(repeating: "A", count: bcryptDigest)
                // 32 bytes, and 16 of salt.
                : "\(setting)\(salt)$\(String(repeating: "A", count: 43))")
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
