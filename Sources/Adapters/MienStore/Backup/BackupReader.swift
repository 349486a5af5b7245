public import Foundation
internal import MienAPI
internal import MienCore
public import MienVault

/// Checks a backup and restores it.
public struct BackupReader: Sendable {
    let folder: URL
    public let manifest: BackupManifest

    /// Reads the manifest and compares sizes and hashes of all files, which needs no passphrase.
    ///
    /// - Throws: ``BackupError`` `.format`, `.damaged`, or `.files`.
    public init(_ folder: URL) throws(BackupError) {
        self.folder = folder
        let path = folder.appending(path: BackupManifest.fileName).path
        let found: FileContents?
        do { found = try POSIXFileSystem().read(path, atMost: BackupManifest.maxBytes + 1) } catch {
            throw BackupError(.files, "\(error)")
        }
        guard let found, found.isRegular else {
            throw BackupError(
                .format, "\(folder.path) is not a backup: it has no \(BackupManifest.fileName)")
        }
        manifest = try BackupManifest(bytes: found.bytes)
        let names = manifest.files.map(\.name)
        guard names.contains("database"), names.contains("master.key") else {
            throw BackupError(.format, "the backup names no database or no master key")
        }
        for file in manifest.files {
            let path = folder.appending(path: file.fileName).path
            let (size, sha256) = try StreamFiles.sum(path)
            guard size == file.size, sha256 == file.sha256 else {
                throw BackupError(
                    .damaged,
                    "\(path) has \(size == file.size ? "other content" : "\(size) bytes instead of \(file.size)"): the backup is damaged, or its copy is incomplete. Use another copy"
                )
            }
        }
    }

    /// Restores to the new folder `target`, which appears once everything was checked: every byte,
    /// that the keys open the database, SQLite's structure, and the audit log.
    ///
    /// The configuration goes to the folder `configuration` in it; a server does not read it there.
    ///
    /// - Parameters:
    ///   - wrapper: what protects the master keys, if they are wrapped in the backup.
    ///   - keeps: `false` to check only. `target` then says where there is room for the decrypted
    ///     files.
    /// - Returns: the number of accounts.
    /// - Throws: ``BackupError``
    public func restore(
        to target: URL, passphrase: BackupPassphrase, wrapper: (any KeyWrapper)? = nil,
        keeps: Bool = true
    ) throws(BackupError) -> Int {
        let staged = try StagedFolder(for: target)
        defer { staged.discard() }
        let key = try passphrase.key(manifest.stretching)
        guard key.isCode(manifest.code, ofManifest: manifest.authenticated) else {
            throw BackupError(
                .passphrase, "the passphrase is wrong, or the backup's manifest was changed")
        }
        let configuration = staged.folder.appending(path: "configuration")
        do {
            try FileManager.default.createDirectory(
                at: configuration, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        } catch { throw StreamFiles.failure("create", configuration.path, error) }
        for file in manifest.files {
            let target =
                switch file.name {
                case "database": staged.folder.appending(path: "mien.sqlite")
                case "master.key": staged.folder.appending(path: "master.key")
                default: configuration.appending(path: file.name)
                }
            try StreamFiles.open(
                folder.appending(path: file.fileName).path, to: target.path,
                key.fileKey(file.name))
        }
        let accounts = try check(staged.folder, wrapper)
        if keeps { try staged.publish() }
        return accounts
    }

    private func check(_ folder: URL, _ wrapper: (any KeyWrapper)?) throws(BackupError) -> Int {
        let facts: DatabaseCopy.Facts, path = folder.appending(path: "master.key").path
        do {
            guard let keys = try Self.keys(path, wrapper) else {
                throw BackupError(.content, "the backup has no master key")
            }
            facts = try DatabaseCopy.facts(
                of: folder.appending(path: "mien.sqlite").path, keys: StoreKeys(keys))
        } catch let error as BackupError { throw error } catch let error as StoreError {
            throw BackupError(.content, "the backup cannot be restored: \(error.reason)")
        } catch { throw BackupError(.content, "the backup cannot be restored: \(error)") }
        guard facts.audit.number == manifest.auditNumber, facts.audit.hash == manifest.auditHash
        else {
            throw BackupError(
                .content, "the audit log is not the one that the backup's manifest names")
        }
        return facts.accounts
    }

    /// A backup that was made before the keys were wrapped has them in clear.
    private static func keys(_ path: String, _ wrapper: (any KeyWrapper)?) throws -> KeyRing? {
        do { return try KeyFile(path: path, wrapper: wrapper).loadRing() } catch KeyFileError
            .notWrapped
        { return try KeyFile(path: path).loadRing() } catch KeyFileError.wrapped(_, let kind) {
            throw BackupError(
                .content,
                "the master keys in the backup are wrapped by \(kind): name the server's settings with --config, on a machine that has what wraps them"
            )
        }
    }
}
