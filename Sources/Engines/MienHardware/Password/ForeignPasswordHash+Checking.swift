internal import CryptoExtras
internal import Foundation
public import MienCore
internal import SystemArgon2
internal import SystemCrypt

extension ForeignPasswordHash {
    /// Checks a password in constant time, as it was typed: other products do not normalize
    /// passwords as ``PasswordHasher`` does.
    ///
    /// Blocks for up to about a second.
    public func matches(_ password: Sensitive<String>) -> Bool {
        let typed = password.use { Array($0.utf8) }
        // bcrypt would stop reading there.
        guard !typed.contains(0), let computed = computed(typed) else { return false }
        return Self.areSame(computed, digest)
    }

    private func computed(_ password: [UInt8]) -> [UInt8]? {
        switch scheme {
        case .bcrypt: bcrypt(password)
        case .argon2id(let memory, let passes, let lanes):
            argon2id(password, memory: memory, passes: passes, lanes: lanes)
        case .pbkdf2(let function, let rounds):
            try? unsafe KDF.Insecure.PBKDF2.deriveKey(
                from: password, salt: salt, using: function.function,
                outputByteCount: digest.count, unsafeUncheckedRounds: rounds
            ).withUnsafeBytes { unsafe Array($0) }
        case .scrypt(let logN, let blockSize, let parallelism):
            try? unsafe KDF.Scrypt.deriveKey(
                from: password, salt: salt, outputByteCount: digest.count, rounds: 1 << logN,
                blockSize: blockSize, parallelism: parallelism
            ).withUnsafeBytes { unsafe Array($0) }
        }
    }

    /// `$2a$` and `$2y$` are computed as `$2b$`: they differ only in bugs of old libraries.
    private func bcrypt(_ password: [UInt8]) -> [UInt8]? {
        let setting = Array(setting.utf8) + salt + [0]
        var memory: UnsafeMutableRawPointer?, size: Int32 = 0
        defer { unsafe free(memory) }
        let answer: [UInt8]? = unsafe (password + [0]).withUnsafeBufferPointer { phrase in
            unsafe setting.withUnsafeBufferPointer { setting in
                unsafe phrase.withMemoryRebound(to: CChar.self) { phrase in
                    unsafe setting.withMemoryRebound(to: CChar.self) { setting in
                        guard
                            let made = unsafe crypt_ra(
                                phrase.baseAddress, setting.baseAddress, &memory, &size)
                        else { return nil }
                        return unsafe Array(String(cString: made).utf8)
                    }
                }
            }
        }
        if let memory = unsafe memory { unsafe memset(memory, 0, Int(size)) }
        guard let answer, answer.count == setting.count - 1 + digest.count else { return nil }
        return Array(answer.suffix(digest.count))
    }

    private func argon2id(_ password: [UInt8], memory: Int, passes: Int, lanes: Int) -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: digest.count)
        let status = unsafe argon2id_hash_raw(
            UInt32(passes), UInt32(memory), UInt32(lanes), password, password.count, salt,
            salt.count, &key, key.count)
        return status == ARGON2_OK.rawValue ? key : nil
    }

    private static func areSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension ForeignPasswordHash.PBKDF2Function {
    fileprivate var function: KDF.Insecure.PBKDF2.HashFunction {
        switch self {
        case .sha1: .insecureSHA1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}
