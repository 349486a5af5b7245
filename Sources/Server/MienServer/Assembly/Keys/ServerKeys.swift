package import Foundation
internal import MienCore
internal import MienHardware
package import MienVault

/// Finds the master keys of a server, and what protects them, as its settings say.
package enum ServerKeys {
    /// The most bytes of a PIN.
    private static let maxPIN = 255

    /// Returns the file of the keys, with the wrapper that protects it. Reads the credential or the
    /// PIN, and does not talk to a token yet.
    ///
    /// - Throws: ``KeyFileError``
    package static func file(of configuration: ServerConfiguration) throws(KeyFileError) -> KeyFile
    {
        let settings = configuration.keys
        do {
            return KeyFile(
                path: settings.path,
                wrapper: try wrapper(settings.protection, configuration.credentials))
        } catch { throw .wrapper(settings.path, error) }
    }

    /// Returns the key in the token; `nil` if the settings name none.
    ///
    /// - Throws: ``KeyWrapperError`` if the PIN cannot be read.
    package static func tokenKey(of configuration: ServerConfiguration) throws(KeyWrapperError)
        -> ServerTokenKey?
    {
        guard case .token(let token) = configuration.keys.protection else { return nil }
        return ServerTokenKey(try key(token, configuration.credentials))
    }

    /// Protects the keys otherwise, while the server is stopped.
    ///
    /// - Parameters:
    ///   - old: the file as it is.
    ///   - new: the file as it shall be, with another wrapper, another path, or both.
    ///   - folders: the data folders of the servers that use the old and the new settings.
    /// - Throws: ``KeyFileError``; ``ServerStartError`` `.inUse` if the server runs, `.key` if there
    ///   are no keys or `new` exists.
    package static func move(from old: KeyFile, to new: KeyFile, of folders: Set<URL>) throws
        -> KeyRing
    {
        var locks: [ProcessLock] = []
        defer { for lock in locks { lock.release() } }
        for folder in folders {
            do {
                locks.append(try ProcessLock(folder.appending(path: DataFolder.lockFile).path))
            } catch let error as ProcessLock.Held {
                throw ServerStartError(.inUse, DataFolder.inUse(folder, holder: error.holder))
            }
        }
        guard let ring = try old.loadRing() else {
            throw ServerStartError(
                .key, "there are no master keys at \(old.path): check data and key.path")
        }
        let moves = old.path != new.path
        if moves, FileManager.default.fileExists(atPath: new.path) {
            throw ServerStartError(
                .key, "\(new.path) exists: remove it, or choose another key.path")
        }
        try new.store(ring)
        // Read the new file back before the old one is removed.
        guard let stored = try new.loadRing(), stored.fileBytes == ring.fileBytes else {
            throw KeyFileError.damaged(path: new.path)
        }
        if moves { try FileManager.default.removeItem(atPath: old.path) }
        return ring
    }

    private static func wrapper(
        _ protection: KeySettings.Protection, _ credentials: String?
    ) throws(KeyWrapperError) -> (any KeyWrapper)? {
        switch protection {
        case .file: nil
        case .credential(let name): try CredentialKeyWrapper(name, in: credentials)
        case .token(let token): PKCS11KeyWrapper(try key(token, credentials))
        }
    }

    private static func key(_ token: KeySettings.Token, _ credentials: String?)
        throws(KeyWrapperError) -> TokenKey
    {
        TokenKey(
            module: token.module, token: token.token, key: token.key,
            pin: try pin(token.pin, credentials))
    }

    /// Reads a PIN. A line feed at its end is not part of it.
    private static func pin(_ pin: KeySettings.PIN, _ credentials: String?)
        throws(KeyWrapperError) -> Sensitive<[UInt8]>
    {
        func refused(_ reason: String) -> KeyWrapperError {
            KeyWrapperError(code: "pkcs11.pin-file", reason: reason)
        }
        let path: String
        switch pin {
        case .file(let file): path = file
        case .credential(let name):
            guard let credentials, !credentials.isEmpty else {
                throw refused(
                    "CREDENTIALS_DIRECTORY is not set: start the server with systemd and LoadCredentialEncrypted=\(name) in its unit, or set key.pkcs11.pin_file"
                )
            }
            path = "\(credentials)/\(name)"
        }
        let files = POSIXFileSystem(), found: FileContents?
        do { found = try files.read(path, atMost: maxPIN + 2) } catch {
            throw refused("the PIN cannot be read: \(error.description)")
        }
        guard let found, found.isRegular else { throw refused("there is no file \(path)") }
        // systemd decides who can read a credential.
        if case .file = pin {
            guard found.owner == files.currentUser else {
                throw refused("\(path) belongs to another user than the one who runs this program")
            }
            guard found.mode & 0o077 == 0 else {
                throw refused("\(path) can be read by other users. Run: chmod 600 \(path)")
            }
        }
        var bytes = found.bytes
        if bytes.last == 0x0A { bytes.removeLast() }
        guard !bytes.isEmpty, bytes.count <= maxPIN, !bytes.contains(0x0A) else {
            throw refused("\(path) must contain the PIN in one line of at most \(maxPIN) bytes")
        }
        return Sensitive(bytes)
    }
}

/// The key in a token with which a server wraps its master keys.
package struct ServerTokenKey: Sendable {
    private let key: TokenKey

    init(_ key: TokenKey) { self.key = key }

    /// Makes the key in the token.
    ///
    /// - Throws: ``KeyWrapperError``
    package func create() throws(KeyWrapperError) {
        do { try key.create() } catch { throw KeyWrapperError(error) }
    }

    /// Returns what the token says about the key, in words.
    ///
    /// - Throws: ``KeyWrapperError``
    package func described() throws(KeyWrapperError) -> String {
        do {
            let facts = try key.facts()
            return
                "key “\(key.key)” of token “\(key.token)” (\(facts.kind.rawValue))\(facts.isGuarded ? ", which never leaves it" : "; the token permits to export it: make another one with mien master-key create")"
        } catch { throw KeyWrapperError(error) }
    }
}

extension KeyWrapperError {
    init(_ error: TokenError) { self.init(code: error.code.rawValue, reason: error.reason) }
}
