internal import Foundation
internal import MienCore
internal import MienSealing
internal import MienServerCore

/// The server's data folder (mode 0700): the database, the master key (mode 0600; wider modes are
/// rejected), and the lock that the running server holds.
///
/// Capture sessions, rate limits, and caches live in one server's memory, so two servers on the
/// same folder would contradict each other.
struct DataFolder: Sendable {
    /// The name of the lock file. It contains the process ID of the running server.
    static let lockFile = "server.lock"

    let folder: URL
    let masterKey: MasterKey
    private let lock: ProcessLock

    var database: URL { folder.appending(path: "mien.sqlite") }

    /// Creates the folder and the master key if they do not exist. Takes the lock before reading
    /// either.
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
                "\(folder.path) is writable by users other than its owner. Run: chmod 700 \(folder.path)"
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

    /// Releases the lock so that another server can use the folder. Close the database first.
    func release() { lock.release() }

    private static func inUse(_ folder: URL, holder: Int32?) -> String {
        let server = holder.map { "the server with process id \($0)" } ?? "another server"
        return
            "\(folder.path) is in use by \(server). Stop that server first, or choose another folder with MIEN_DATA."
    }
}
