internal import Crypto
internal import Foundation
internal import MienCore

/// The server's last answers about identity verification, sealed.
///
/// Answers say whether a person was verified, and never contain personal data. In a file, they are
/// sealed with AES-256-GCM under a key that is derived from the ``ProofKey`` of the app's storage, and
/// bound to the server, the app, and the user. Without the key, and as another user, nothing is
/// stored.
public actor IdentityCache {
    private struct Content: Codable {
        /// By server, application, user, and question.
        var answers: [String: String] = [:]
    }

    private let file: PrivateFile<Content>?
    private let keys: (any ProofKeyStorage)?
    private var content = Content()
    private var hasRead = false
    /// Seals answers in memory, too, so that both ways are the same.
    private let memoryKey = SymmetricKey(size: .bits256)

    /// Keeps answers until the app ends.
    public init() { (file, keys) = (nil, nil) }

    /// Keeps answers in a file that only its owner may read.
    ///
    /// - Parameters:
    ///   - path: The file is created when there is something to store; its folder must exist.
    ///   - keys: The storage of the key, such as ``SystemTokenStorage``.
    public init(path: String, keys: any ProofKeyStorage) {
        (file, self.keys) = (PrivateFile(path: path), keys)
    }

    /// Removes all answers.
    ///
    /// - Throws: ``PrivateFileError``.
    public func removeAll() throws {
        (content, hasRead) = (Content(), true)
        try file?.write(content)
    }

    func answer<Answer: Decodable & Sendable>(_ path: [String], of session: MienSession)
        async throws -> Answer?
    {
        guard let name = await name(path, session) else { return nil }
        try read()
        guard let text = content.answers[Self.hash(name)], let sealed = Base64URL.decode(text),
            let box = try? AES.GCM.SealedBox(combined: sealed),
            let plain = try? AES.GCM.open(
                box, using: try await key(for: session), authenticating: Data(name.utf8))
        else { return nil }
        return try? JSONDecoder().decode(Answer.self, from: plain)
    }

    func store(_ answer: some Encodable & Sendable, as path: [String], of session: MienSession)
        async throws
    {
        guard let name = await name(path, session) else { return }
        let key = try await key(for: session)
        // A new random nonce; 96 bits are enough for the few answers of a device.
        guard
            let sealed = try AES.GCM.seal(
                Data(Connection.encode(answer)), using: key, authenticating: Data(name.utf8)
            ).combined
        else { return }
        try read()
        content.answers[Self.hash(name)] = Base64URL.encode(sealed)
        try file?.write(content)
    }

    private func read() throws {
        guard !hasRead else { return }
        content = try file?.read() ?? Content()
        hasRead = true
    }

    /// `nil` if nobody is signed in.
    private func name(_ path: [String], _ session: MienSession) async -> String? {
        let key = session.key
        guard let user = await session.user else { return nil }
        return [
            "mien/v1/identity-cache", key.server, key.application, user,
            path.joined(separator: "/"),
        ]
        .joined(separator: "\n")
    }

    /// The file does not name the user.
    private static func hash(_ name: String) -> String {
        Base64URL.encode(SHA256.hash(data: Data(name.utf8)))
    }

    private func key(for session: MienSession) async throws -> SymmetricKey {
        guard let keys else { return memoryKey }
        let owner = session.key
        let found = try await keys.proofKey(for: owner)
        let secret: ProofKey
        if let found {
            secret = found
        } else {
            secret = try await keys.keepProofKey(ProofKey(), for: owner)
        }
        return secret.bytes.use {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: $0),
                info: Data("mien/v1/identity-cache".utf8), outputByteCount: 32)
        }
    }
}
