internal import MienCore

/// Keeps tokens, and the keys they are bound to, in a file that only its owner may read (0600).
/// Each change replaces the whole file.
///
/// For command lines and servers. ``SystemTokenStorage`` uses the operating system's store of secrets
/// where there is one.
public actor PersistentTokenStorage: TokenStorage, ProofKeyStorage {
    private struct Entry: Codable {
        let server, application: String
        /// Its members are stored next to the other two.
        let stored: StoredTokens

        private enum CodingKeys: String, CodingKey { case server, application }

        init(_ key: DeviceTokenKey, _ stored: StoredTokens) {
            (server, application, self.stored) = (key.server, key.application, stored)
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            (server, application) = (
                try values.decode(String.self, forKey: .server),
                try values.decode(String.self, forKey: .application)
            )
            stored = try StoredTokens(from: decoder)
        }

        func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(server, forKey: .server)
            try values.encode(application, forKey: .application)
            try stored.encode(to: encoder)
        }

        func isOf(_ key: DeviceTokenKey) -> Bool {
            server == key.server && application == key.application
        }
    }

    private struct KeyEntry: Codable {
        let server, application, privateKey: String

        func isOf(_ key: DeviceTokenKey) -> Bool {
            server == key.server && application == key.application
        }
    }

    private struct Content: Codable {
        var tokens: [Entry] = []
        var keys: [KeyEntry] = []
    }

    private let file: PrivateFile<Content>

    /// - Parameter path: The file's path. The file is created when there is something to store; its
    ///   folder must exist.
    public init(path: String) { file = PrivateFile(path: path) }

    // MARK: Tokens

    public func tokens(for key: DeviceTokenKey) throws -> SessionTokens? {
        try content().tokens.first { $0.isOf(key) }?.stored.tokens
    }

    public func store(_ tokens: SessionTokens, for key: DeviceTokenKey) throws {
        let entry = Entry(key, StoredTokens(tokens))
        var content = try content()
        content.tokens = content.tokens.filter { !$0.isOf(key) } + [entry]
        try file.write(content)
    }

    public func remove(_ key: DeviceTokenKey) throws {
        var content = try content()
        content.tokens.removeAll { $0.isOf(key) }
        try file.write(content)
    }

    // MARK: Keys

    /// - Throws: ``PrivateFileError``, also for a key that cannot be read.
    public func proofKey(for key: DeviceTokenKey) throws -> ProofKey? {
        guard let entry = try content().keys.first(where: { $0.isOf(key) }) else { return nil }
        guard let bytes = Base64URL.decode(entry.privateKey),
            let proofKey = ProofKey(bytes: Sensitive(bytes))
        else {
            throw PrivateFileError(
                reason:
                    "\(file.path) contains a key that cannot be read. Remove the file and sign in again."
            )
        }
        return proofKey
    }

    public func keepProofKey(_ new: ProofKey, for key: DeviceTokenKey) throws -> ProofKey {
        if let kept = try proofKey(for: key) { return kept }
        var content = try content()
        content.keys.append(
            KeyEntry(
                server: key.server, application: key.application,
                privateKey: new.bytes.use { Base64URL.encode($0) }))
        try file.write(content)
        return new
    }

    private func content() throws -> Content { try file.read() ?? Content() }
}
