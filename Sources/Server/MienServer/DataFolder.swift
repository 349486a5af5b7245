internal import Foundation
internal import MienCore
internal import MienVault

/// The server's folder, mode 0700: the database, the master key (mode 0600; a wider mode is
/// refused), and the lock of the server that uses it.
///
/// Live captures, rate limits, and caches are in a server's memory, so two servers on one folder
/// would contradict each other.
struct DataFolder: Sendable {
    /// The lock file's name. It holds the process id of the server that runs.
    static let lockFile = "server.lock"

    let folder: URL
    let masterKey: MasterKey
    private let lock: ProcessLock

    var database: URL { folder.appending(path: "mien.sqlite") }

    /// Creates the folder and the master key if they do not exist, and takes the lock before
    /// reading either.
    ///
    /// - Throws: ``ServerStartError`` `.inUse` if another server uses the folder.
    init(_ folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let mode =
            try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
            ?? 0
        guard mode & 0o022 == 0 else {
            throw ConfigurationError([
                "\(folder.path) can be written by others than its owner; run: chmod 700 \(folder.path)"
            ])
        }
        do { lock = try ProcessLock(folder.appending(path: Self.lockFile).path) } catch let error
            as ProcessLock.Held
        {
            throw ServerStartError(.inUse, Self.inUse(folder, holder: error.holder))
        }
        let isUsed = FileManager.default.fileExists(
            atPath: folder.appending(path: "mien.sqlite").path)
        masterKey = try KeyFile(path: folder.appending(path: "master.key").path).loadOrCreate(
            sealedRecordsExist: isUsed)
    }

    /// Lets another server use the folder. The database must be closed first.
    func release() { lock.release() }

    private static func inUse(_ folder: URL, holder: Int32?) -> String {
        let server = holder.map { "the server with process id \($0)" } ?? "another server"
        return
            "\(folder.path) is in use by \(server). Stop that server first, or choose another folder with MIEN_DATA."
    }
}
