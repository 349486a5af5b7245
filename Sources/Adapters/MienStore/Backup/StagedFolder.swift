internal import Foundation
internal import MienVault

/// A folder with mode 0700 that is filled under a temporary name, and appears under its own name
/// once it is complete.
final class StagedFolder {
    let folder: URL
    private let target: URL
    private var isPublished = false

    /// - Throws: ``BackupError`` `.exists` if there is anything at `target`.
    convenience init(for target: URL) throws(BackupError) {
        guard (try? FileManager.default.attributesOfItem(atPath: target.path)) == nil else {
            throw BackupError(
                .exists, "\(target.path) exists. Name a folder that does not exist yet.")
        }
        try self.init(besides: target, prefix: ".\(target.lastPathComponent).")
    }

    init(besides target: URL, prefix: String) throws(BackupError) {
        self.target = target
        folder = target.deletingLastPathComponent().appending(
            path: "\(prefix)\(hexadecimal(RandomSource.system.bytes(8)))\(temporarySuffix)")
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw BackupError(
                .files,
                "\(folder.deletingLastPathComponent().path) does not exist, or you may not write to it"
            )
        }
    }

    func write(_ bytes: [UInt8], to name: String) throws(BackupError) {
        let path = folder.appending(path: name).path
        do { try POSIXFileSystem().writeNewFile(path, bytes) } catch {
            throw BackupError(.files, "\(error)")
        }
    }

    /// Gives the folder its name, durably.
    func publish() throws(BackupError) {
        // A rename would replace an empty folder. One that appeared meanwhile belongs to somebody
        // else, so refuse.
        guard (try? FileManager.default.attributesOfItem(atPath: target.path)) == nil else {
            throw BackupError(.exists, "\(target.path) appeared meanwhile. Name another folder.")
        }
        do throws(FileSystemError) {
            let files = POSIXFileSystem()
            try files.syncFolder(folder.path)
            try files.rename(folder.path, to: target.path)
            isPublished = true
            try files.syncFolder(target.deletingLastPathComponent().path)
        } catch { throw BackupError(.files, "\(error)") }
    }

    /// Removes the folder unless it was published.
    func discard() {
        if !isPublished { try? FileManager.default.removeItem(at: folder) }
    }

    /// Removes folders of interrupted processes. Requires a lock that such processes hold.
    static func sweep(_ parent: URL, prefix: String) throws(BackupError) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        for name in names where name.hasPrefix(prefix) && name.hasSuffix(temporarySuffix) {
            try? FileManager.default.removeItem(at: parent.appending(path: name))
        }
    }
}
