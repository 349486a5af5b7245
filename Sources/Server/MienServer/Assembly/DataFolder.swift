internal import Foundation
internal import MienCore
internal import MienStore
internal import MienVault

/// The server's data folder (mode 0700): the database, the lock that the running server holds, and,
/// unless the settings say otherwise, the master key (mode 0600; wider modes are rejected).
///
/// Capture sessions, rate limits, and caches live in one server's memory, so two servers on the
/// same folder would contradict each other.
struct DataFolder: Sendable {
    /// The name of the lock file. It contains the process ID of the running server.
    static let lockFile = "server.lock"

    let folder: URL
    let keyFile: KeyFile
    private let lock: ProcessLock

    var database: URL { folder.appending(path: Self.databaseFile) }
    private static let databaseFile = "mien.sqlite"

    /// Creates the folder if it does not exist, and takes the lock.
    ///
    /// - Parameter keyFile: the file of the master keys, which may be elsewhere.
    /// - Throws: ``ServerStartError`` `.inUse` if another server uses the folder; `.folder` if it
    ///   cannot be used.
    init(_ folder: URL, keyFile: KeyFile) throws {
        (self.folder, self.keyFile) = (folder, keyFile)
        try Self.create(folder)
        do { lock = try ProcessLock(folder.appending(path: Self.lockFile).path) } catch let error
            as ProcessLock.Held
        {
            throw ServerStartError(.inUse, Self.inUse(folder, holder: error.holder))
        }
    }

    /// Returns the master keys. Creates one for a database without records.
    ///
    /// - Parameter place: What to call the database in messages.
    /// - Throws: ``ServerStartError`` `.key` if the key of the records is missing. ``KeyFileError`` if
    ///   it cannot be used.
    func keys(of place: String, hasRecords: Bool) throws -> KeyRing {
        do {
            return try keyFile.loadOrCreateRing(sealedRecordsExist: hasRecords)
        } catch KeyFileError.missing {
            throw ServerStartError(
                .key,
                "\(place) has no master key: restore \(keyFile.path) from a backup, or choose another folder with MIEN_DATA"
            )
        }
    }

    /// The error if the database is sealed under a key other than the folder's, or a newer one.
    ///
    /// - Parameters:
    ///   - isShared: Whether other servers may have the right keys.
    ///   - reason: What a record needs.
    func foreignKey(of place: String, isShared: Bool, _ reason: String) -> ServerStartError {
        guard !isShared else {
            return ServerStartError(
                .key,
                "\(place) is sealed under another master key than \(keyFile.path) has (\(reason)). \(MasterKeySource.advice). To start with an empty database, choose another one"
            )
        }
        return ServerStartError(
            .key,
            "\(place) is sealed under another master key than \(keyFile.path): restore the key that belongs to it from a backup, or choose another folder with MIEN_DATA"
        )
    }

    /// The error if the database may lack data that its server had committed.
    func incomplete(_ flaw: String) -> ServerStartError {
        ServerStartError(
            .store,
            "\(database.path) \(flaw). Copy mien.sqlite and mien.sqlite-wal together from a stopped server, or restore a backup made with mien backup. To start with this database and lose what is missing: mien serve --accept-lost-writes"
        )
    }

    /// Releases the lock so that another server can use the folder. Close the database first.
    func release() { lock.release() }

    private static func create(_ folder: URL) throws(ServerStartError) {
        let mode: Int
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            mode =
                try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions]
                as? Int ?? 0
        } catch {
            throw ServerStartError(.folder, "\(folder.path) \(reason(folder, error))")
        }
        guard mode & 0o022 == 0 else {
            throw ServerStartError(
                .folder,
                "\(folder.path) is writable by users other than its owner. Run: chmod 700 \(folder.path)"
            )
        }
    }

    private static func reason(_ folder: URL, _ error: any Error) -> String {
        if (try? folder.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == false {
            return "is a file; the data folder (MIEN_DATA) must be a folder, or not exist yet"
        }
        switch (error as? CocoaError)?.code {
        case .fileWriteNoPermission, .fileReadNoPermission, .fileWriteVolumeReadOnly:
            return
                "cannot be created: permission denied; change the permissions of its parent, or choose another folder with MIEN_DATA"
        case .fileWriteOutOfSpace:
            return "cannot be created: the disk is full; free some space"
        default:
            return
                "cannot be created as the data folder; check that its parents are folders, or choose another with MIEN_DATA"
        }
    }

    static func inUse(_ folder: URL, holder: Int32?) -> String {
        let server = holder.map { "the server with process id \($0)" } ?? "another server"
        return
            "\(folder.path) is in use by \(server). Stop that server first, or choose another folder with MIEN_DATA."
    }
}
