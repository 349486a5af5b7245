public import Foundation
internal import SystemPackage

/// A temporary folder of this process, removed with its last reference.
///
/// A killed process cannot clean up. Every folder is therefore locked while it is in use, and
/// creating a new one removes unlocked leftovers.
public final class WorkFolder: Sendable {
    public let url: URL
    private let lock: FileDescriptor?
    /// A younger folder may not be locked yet.
    private static let graceSeconds = 60

    /// - Parameter kind: 1…32 of `a-z -`: the folder's name is `mien-<kind>-<random>`.
    /// - Throws: ``PackError`` `.unavailable` if no folder can be created.
    public init(_ kind: String) throws(PackError) {
        let parent = FileManager.default.temporaryDirectory, prefix = "mien-\(kind)-"
        Self.sweep(parent, prefix)
        url = parent.appending(path: prefix + UUID().uuidString, directoryHint: .isDirectory)
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw PackError(
                .unavailable,
                "cannot create a temporary folder in \(parent.path): \(SystemWords.reason(error))")
        }
        lock = Self.open(url)
        if let lock { flock(lock.rawValue, LOCK_EX | LOCK_NB) }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
        try? lock?.close()
    }

    private static func open(_ folder: URL) -> FileDescriptor? {
        try? FileDescriptor.open(
            FilePath(folder.path), .readOnly, options: [.directory, .noFollow, .closeOnExec])
    }

    private static func sweep(_ parent: URL, _ prefix: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        where name.hasPrefix(prefix) {
            let folder = parent.appending(path: name, directoryHint: .isDirectory)
            guard let descriptor = open(folder) else { continue }
            defer { try? descriptor.close() }
            guard let status = try? descriptor.stat(), status.userID.rawValue == geteuid(),
                time(nil) - status.st_mtim.tv_sec > graceSeconds,
                flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0
            else { continue }
            try? FileManager.default.removeItem(at: folder)
        }
    }
}
