public import Foundation
internal import MienAPI
public import MienCore
public import MienVault

/// Makes a backup of a server's data folder, also while the server runs.
public struct BackupWriter: Sendable {
    /// A file of the configuration.
    public struct Setting: Sendable {
        let name, path: String

        /// - Parameter key: the setting that names the file, such as `identity.rules`; `nil` for the
        ///   configuration file itself.
        public init(key: String?, path: String) {
            (name, self.path) = (key.map { "setting-\($0)" } ?? "mien.yaml", path)
        }
    }

    let data: URL
    let keyFile: KeyFile
    let settings: [Setting]
    let program: String

    /// - Parameters:
    ///   - data: the server's data folder.
    ///   - keyFile: the file of its master keys; by default the one in `data`. If they are wrapped,
    ///     the backup has them wrapped in the same way.
    ///   - settings: the configuration's files.
    ///   - program: the version of this program.
    public init(data: URL, keyFile: KeyFile? = nil, settings: [Setting], program: String) {
        (self.data, self.settings, self.program) = (data, settings, program)
        self.keyFile = keyFile ?? KeyFile(path: data.appending(path: "master.key").path)
    }

    /// Writes the backup to the new folder `target` and checks the copy of the database. The folder
    /// appears once it is complete.
    ///
    /// - Throws: ``BackupError``
    public func write(to target: URL, passphrase: BackupPassphrase, at now: Instant)
        throws(BackupError) -> BackupManifest
    {
        let lock = try locked()
        defer { lock.release() }
        try StagedFolder.sweep(data, prefix: Self.copyPrefix)
        let copy = try StagedFolder(besides: data.appending(path: "x"), prefix: Self.copyPrefix)
        defer { copy.discard() }
        let staged = try StagedFolder(for: target)
        defer { staged.discard() }

        // Both the keys read before the copy and those read after it open everything in it, because
        // keys are added before they seal, and removed once nothing in the database needs them.
        let before = try ring()
        let database = copy.folder.appending(path: "database").path
        try content { () throws(StoreError) in
            try DatabaseCopy.make(of: data.appending(path: "mien.sqlite").path, at: database)
        }
        let after = try ring(),
            keys =
                Set(after.keys.map(\.name))
                    .isSuperset(of: before.keys.map(\.name)) ? after : before
        let facts = try content { () throws(StoreError) in
            try DatabaseCopy.facts(of: database, keys: StoreKeys(keys))
        }
        let copiedKeys = copy.folder.appending(path: "master.key").path, keyBytes: [UInt8]
        do { keyBytes = try keyFile.bytes(of: keys) } catch {
            throw BackupError(.content, "\(error)")
        }
        guard
            FileManager.default.createFile(
                atPath: copiedKeys, contents: Data(keyBytes),
                attributes: [.posixPermissions: 0o600])
        else { throw BackupError(.files, "\(copiedKeys) cannot be written") }

        var manifest = BackupManifest(
            createdAt: now.milliseconds, program: program, schema: facts.schema,
            auditNumber: facts.audit.number, auditHash: facts.audit.hash,
            stretching: .init(salt: RandomSource.system.bytes(BackupManifest.Stretching.saltSize)),
            files: [])
        let key = try passphrase.key(manifest.stretching)
        let sources =
            [("database", database), ("master.key", copiedKeys)]
            + settings.map { ($0.name, $0.path) }
        for (name, path) in sources {
            let sealed = staged.folder.appending(path: name + BackupManifest.suffix).path
            let (size, sha256) = try StreamFiles.seal(path, to: sealed, key.fileKey(name))
            manifest.files.append(.init(name: name, size: size, sha256: sha256))
        }
        manifest.code = key.code(ofManifest: manifest.authenticated)
        try staged.write(manifest.bytes, to: BackupManifest.fileName)
        try staged.publish()
        // For the server's metrics. The backup is complete without it.
        try? POSIXFileSystem().replaceFile(
            data.appending(path: BackupMark.file).path,
            with: Array("\(now.milliseconds / 1000)\n".utf8), random: .system,
            prefix: Self.copyPrefix)
        return manifest
    }

    private static let copyPrefix = ".backup-"

    private func ring() throws(BackupError) -> KeyRing {
        do {
            guard let ring = try keyFile.loadRing() else {
                throw BackupError(
                    .content,
                    "\(keyFile.path) is missing: \(data.path) is not a server's data folder. Name it with MIEN_DATA or --config"
                )
            }
            return ring
        } catch let error as BackupError { throw error } catch {
            throw BackupError(.content, "\(error)")
        }
    }

    /// One backup of a folder at a time, so that files of an interrupted one can be removed.
    private func locked() throws(BackupError) -> ProcessLock {
        let path = data.appending(path: ".backup.lock").path
        do { return try ProcessLock(path) } catch is ProcessLock.Held {
            throw BackupError(
                .busy, "another backup of \(data.path) is being made; wait until it has ended")
        } catch {
            throw BackupError(
                .files,
                "\(path) cannot be written: run this as the user that runs the server, and check the data folder (MIEN_DATA, --config)"
            )
        }
    }

    private func content<Output>(_ body: () throws(StoreError) -> Output) throws(BackupError)
        -> Output
    {
        do { return try body() } catch {
            throw BackupError(.content, "the database cannot be backed up: \(error.reason)")
        }
    }
}
