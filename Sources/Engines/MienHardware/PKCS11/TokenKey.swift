internal import CMienSystem
public import MienCore

/// A key in a token, such as a hardware security module, that encrypts and decrypts small secrets and
/// never leaves it.
///
/// Each call opens the token and closes it again, because a server needs the key at its start and
/// when it rotates its own, and an open session would outlive a token that is unplugged. Calls block:
/// a token may take a second.
public struct TokenKey: Sendable {
    /// The most bytes that are encrypted at once: what RSA-OAEP with 2,048 bits takes, and less.
    public static let maxBytes = 190
    /// The size of the nonce of AES-GCM, which RSA ignores.
    public static let nonceSize = 12

    /// The path of the PKCS #11 module, a library of the token's maker.
    public let module: String
    /// The label of the token.
    public let token: String
    /// The label of the key.
    public let key: String
    private let pin: Sensitive<[UInt8]>

    public init(module: String, token: String, key: String, pin: Sensitive<[UInt8]>) {
        (self.module, self.token, self.key, self.pin) = (module, token, key, pin)
    }

    public enum Kind: String, Sendable, CaseIterable {
        /// AES-GCM.
        case aes = "aes-gcm"
        /// RSA-OAEP with SHA-1, which is what all tokens support.
        case rsa = "rsa-oaep"
    }

    public struct Facts: Sendable, Hashable {
        public let kind: Kind
        /// Whether the token never gives the key away, as far as it says.
        public let isGuarded: Bool
    }

    /// - Throws: ``TokenError``
    public func facts() throws(TokenError) -> Facts {
        try withToken { token throws(TokenError) in try find(in: token) }
    }

    /// Encrypts under the key.
    ///
    /// - Parameters:
    ///   - bytes: at most ``maxBytes``.
    ///   - nonce: ``nonceSize`` bytes, never used twice with the same key.
    ///   - context: bytes that decryption needs again, without which AES-GCM refuses.
    /// - Throws: ``TokenError``
    public func encrypt(_ bytes: [UInt8], nonce: [UInt8], context: [UInt8]) throws(TokenError)
        -> [UInt8]
    {
        precondition(bytes.count <= Self.maxBytes && nonce.count == Self.nonceSize)
        return try withToken { token throws(TokenError) in
            _ = try find(in: token)
            return unsafe try run("encrypting") { out, size in
                unsafe mien_token_encrypt(
                    token.raw, nonce, nonce.count, context, context.count, bytes, bytes.count, out,
                    size)
            }
        }
    }

    /// Decrypts what ``encrypt(_:nonce:context:)`` returned.
    ///
    /// - Throws: ``TokenError``; `.refused` if it is something else.
    public func decrypt(_ bytes: [UInt8], nonce: [UInt8], context: [UInt8]) throws(TokenError)
        -> [UInt8]
    {
        try withToken { token throws(TokenError) in
            let facts = try find(in: token)
            do throws(TokenError) {
                return unsafe try run("decrypting") { out, size in
                    unsafe mien_token_decrypt(
                        token.raw, nonce, nonce.count, context, context.count, bytes, bytes.count,
                        out, size)
                }
            } catch {
                // Some modules answer a failed check with a general error.
                guard error.code == .failed, facts.kind == .aes else { throw error }
                throw TokenError(
                    .refused,
                    "key “\(key)” of token “\(self.token)” does not decrypt this: it is another key with the same name, or the data was changed (\(error.reason))"
                )
            }
        }
    }

    /// Makes the key in the token: AES with 256 bits, which never leaves it.
    ///
    /// - Throws: ``TokenError`` `.key` if the label is taken.
    public func create() throws(TokenError) {
        try withToken { token throws(TokenError) in
            let status = unsafe mien_token_make_key(token.raw, key)
            guard Int(status) != mien_token_many_keys else {
                throw TokenError(.key, "token “\(self.token)” already has a key “\(key)”")
            }
            try check(status, "making a key")
        }
    }

    // MARK: Sessions

    /// An open token.
    @safe private struct Session {
        let raw: OpaquePointer
    }

    /// One at a time: closing the last session of a process logs all of them out.
    private static let turn = Locked(())

    private func withToken<Output: Sendable>(
        _ body: (Session) throws(TokenError) -> Output
    ) throws(TokenError) -> Output {
        try Self.turn.withLock { _ throws(TokenError) in
            var opened: OpaquePointer?
            try check(unsafe mien_token_module(module, &opened), "loading the module")
            guard let opened = unsafe opened else { fatalError("a module without a token") }
            defer { unsafe mien_token_close(opened) }
            let session = unsafe Session(raw: opened)
            let status = pin.use { unsafe mien_token_open(opened, token, $0, $0.count) }
            if Int(status) == mien_token_absent {
                throw TokenError(
                    .absent,
                    "\(module) has no token “\(token)”; it has \(labels(of: session))")
            }
            try check(status, "logging in")
            return try body(session)
        }
    }

    private func find(in session: Session) throws(TokenError) -> Facts {
        var kind: Int32 = 0, isGuarded: Int32 = 0
        try check(
            unsafe mien_token_find_key(session.raw, key, &kind, &isGuarded), "looking for the key")
        return Facts(kind: Int(kind) == mien_token_rsa ? .rsa : .aes, isGuarded: isGuarded == 1)
    }

    private func labels(of session: Session) -> String {
        var text: UnsafePointer<CChar>?
        guard unsafe Int(mien_token_labels(session.raw, &text)) == mien_token_ok,
            let text = unsafe text
        else { return "none" }
        let labels = unsafe String(cString: text).split(separator: "\n").map { "“\($0)”" }
        return labels.isEmpty ? "none" : labels.joined(separator: ", ")
    }

    private func run(
        _ doing: String,
        _ body: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>) -> Int32
    ) throws(TokenError) -> [UInt8] {
        // Room for RSA with 16,384 bits.
        var out = [UInt8](repeating: 0, count: 2048), size = out.count
        let status = unsafe out.withUnsafeMutableBufferPointer { buffer in
            unsafe body(buffer.baseAddress, &size)
        }
        try check(status, doing)
        let result = Array(out.prefix(size))
        for index in out.indices { out[index] = 0 }
        return result
    }

    private func check(_ status: Int32, _ doing: String) throws(TokenError) {
        if Int(status) != mien_token_ok { throw TokenError(status, self, doing) }
    }
}
