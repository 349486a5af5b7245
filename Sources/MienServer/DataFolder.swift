internal import Foundation
internal import MienCore
internal import MienVault

/// The server's folder: 0700, the database, the master key (0600, refused when wider).
struct DataFolder: Sendable {
    let folder: URL
    let masterKey: MasterKey

    var database: URL { folder.appending(path: "mien.sqlite") }

    init(_ folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int ?? 0
        guard mode & 0o022 == 0 else {
            throw ConfigurationError(["\(folder.path) can be written by others than its owner; run: chmod 700 \(folder.path)"])
        }
        let isUsed = FileManager.default.fileExists(atPath: folder.appending(path: "mien.sqlite").path)
        masterKey = try KeyFile(path: folder.appending(path: "master.key").path).loadOrCreate(sealedRecordsExist: isUsed)
    }
}
