internal import CMienSystem
public import Foundation
internal import SystemPackage

/// Replaces folders atomically.
public enum StagedFolder {
    private static let prefix = ".staging."
    /// Set regardless of the process's mask: models decide who is recognized, so nobody else may
    /// change them.
    private static var readable: [FileAttributeKey: Any] { [.posixPermissions: 0o755] }
    /// The maximum wait for another process that is changing the same folder: 600 tries, 100 ms
    /// apart.
    private static let lockTries = 600, lockPauseMicroseconds: UInt32 = 100_000

    /// Creates a folder next to `destination`, lets `fill` fill it, makes it durable, and moves it
    /// to `destination` atomically.
    ///
    /// If the process is killed at any moment, `destination` is either the old or the new folder,
    /// and the next call removes leftover files.
    ///
    /// - Throws: the error of `fill`, or ``PackError`` `.unavailable` if the system reports an
    ///   error or another process takes too long.
    public static func put(at destination: URL, _ fill: (URL) throws -> Void) throws {
        let parent = destination.deletingLastPathComponent(), files = FileManager.default
        try attempt(parent) {
            try files.createDirectory(
                at: parent, withIntermediateDirectories: true, attributes: readable)
        }
        let lock = try lock(parent)
        defer { try? lock.close() }
        sweep(parent)
        let staging = parent.appending(
            path: prefix + UUID().uuidString, directoryHint: .isDirectory)
        defer { try? files.removeItem(at: staging) }
        try attempt(staging) {
            try files.createDirectory(
                at: staging, withIntermediateDirectories: false, attributes: readable)
        }
        try fill(staging)
        for name in try attempt(staging, { try files.contentsOfDirectory(atPath: staging.path) }) {
            try sync(staging.appending(path: name))
        }
        try sync(staging)
        try exchange(staging, destination)
        try sync(parent)
    }

    /// Exchanges the folders. Afterwards `staging` is the old folder or does not exist.
    private static func exchange(_ staging: URL, _ destination: URL) throws(PackError) {
        let (from, to) = (plain(staging), plain(destination))
        if unsafe mien_rename_new(from, to) == 0 { return }
        if errno == EEXIST, unsafe mien_rename_exchange(from, to) == 0 { return }
        // The file system supports neither method. Move the old folder aside, then the new one in;
        // for a moment neither exists.
        let aside = plain(
            staging.deletingLastPathComponent().appending(path: prefix + UUID().uuidString))
        let wasThere = unsafe rename(to, aside) == 0
        guard unsafe rename(from, to) == 0 else {
            let number = errno
            if wasThere { _ = unsafe rename(aside, to) }
            throw PackError(
                .unavailable, "\(to) cannot be moved into place: \(SystemWords.word(Int(number)))")
        }
        if wasThere { try? FileManager.default.removeItem(atPath: aside) }
    }

    /// Removes a trailing slash, with which a path would mean the target of a link.
    private static func plain(_ url: URL) -> String {
        url.deletingLastPathComponent().appending(
            path: url.lastPathComponent, directoryHint: .notDirectory
        ).path
    }

    private static func lock(_ folder: URL) throws(PackError) -> FileDescriptor {
        let descriptor: FileDescriptor
        do {
            descriptor = try .open(
                FilePath(folder.path), .readOnly, options: [.directory, .closeOnExec])
        } catch {
            throw PackError(
                .unavailable, "\(folder.path) cannot be opened: \(SystemWords.reason(error))")
        }
        for _ in 0..<lockTries {
            if flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0 { return descriptor }
            guard errno == EWOULDBLOCK || errno == EINTR else { break }
            usleep(lockPauseMicroseconds)
        }
        try? descriptor.close()
        throw PackError(
            .unavailable,
            "another program has been changing \(folder.path) for a minute; try again when that program has ended"
        )
    }

    /// Removes leftover staging folders. Requires the lock, because otherwise a staging folder may
    /// be in use.
    private static func sweep(_ folder: URL) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where name.hasPrefix(prefix) {
            try? FileManager.default.removeItem(at: folder.appending(path: name))
        }
    }

    private static func sync(_ url: URL) throws(PackError) {
        do {
            let file = try FileDescriptor.open(
                FilePath(url.path), .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
            try file.closeAfter {
                guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
            }
        } catch {
            throw PackError(
                .unavailable, "\(url.path) cannot be stored: \(SystemWords.reason(error))")
        }
    }

    private static func attempt<T>(_ url: URL, _ body: () throws -> T) throws(PackError) -> T {
        do { return try body() } catch {
            throw PackError(
                .unavailable, "\(url.path) cannot be created or read: \(SystemWords.reason(error))")
        }
    }
}
