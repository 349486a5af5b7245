internal import CMienFolders
public import Foundation

/// Folders that appear whole or not at all, in place of what was there.
public enum StagedFolder {
    private static let prefix = ".staging."
    /// Whatever the process's mask: models decide who gets in, so nobody else may change them.
    private static var readable: [FileAttributeKey: Any] { [.posixPermissions: 0o755] }
    /// How long to wait for another process that puts something into the same folder: 600 tries,
    /// 100 ms apart.
    private static let lockTries = 600, lockPauseMicroseconds: UInt32 = 100_000

    /// Lets `fill` fill a new folder beside `place`, makes it durable, and puts it in place in one
    /// step.
    ///
    /// Killed at any moment, `place` is the old folder or the new one, and the next call sweeps
    /// what was left.
    /// - Throws: what `fill` throws; ``PackError`` `.unavailable` when the system refuses or
    ///   another process takes too long.
    public static func put(at place: URL, _ fill: (URL) throws -> Void) throws {
        let parent = place.deletingLastPathComponent(), files = FileManager.default
        try attempt(parent) {
            try files.createDirectory(
                at: parent, withIntermediateDirectories: true, attributes: readable)
        }
        let lock = try lock(parent)
        defer { close(lock) }
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
        try exchange(staging, place)
        try sync(parent)
    }

    /// After this `staging` is what `place` was, or nothing.
    private static func exchange(_ staging: URL, _ place: URL) throws(PackError) {
        let (from, to) = (plain(staging), plain(place))
        if unsafe mien_rename_new(from, to) == 0 { return }
        if errno == EEXIST, unsafe mien_rename_exchange(from, to) == 0 { return }
        // A file system that knows neither way: aside, then in, which leaves a moment without
        // either.
        let aside = plain(
            staging.deletingLastPathComponent().appending(path: prefix + UUID().uuidString))
        let wasThere = unsafe rename(to, aside) == 0
        guard unsafe rename(from, to) == 0 else {
            let number = errno
            if wasThere { _ = unsafe rename(aside, to) }
            throw PackError(
                .unavailable, "\(to) cannot be put into place: \(SystemWords.word(Int(number)))")
        }
        if wasThere { try? FileManager.default.removeItem(atPath: aside) }
    }

    /// Without a slash at its end, with which a path names what a link points to.
    private static func plain(_ url: URL) -> String {
        url.deletingLastPathComponent().appending(
            path: url.lastPathComponent, directoryHint: .notDirectory
        ).path
    }

    private static func lock(_ folder: URL) throws(PackError) -> Int32 {
        let number = unsafe open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else {
            throw PackError(
                .unavailable, "\(folder.path) cannot be opened: \(SystemWords.word(Int(errno)))")
        }
        for _ in 0..<lockTries {
            if flock(number, LOCK_EX | LOCK_NB) == 0 { return number }
            guard errno == EWOULDBLOCK || errno == EINTR else { break }
            usleep(lockPauseMicroseconds)
        }
        close(number)
        throw PackError(
            .unavailable,
            "another program has been changing \(folder.path) for a minute; try again when it has ended"
        )
    }

    /// Only for a holder of the lock: what is staged may be in use otherwise.
    private static func sweep(_ folder: URL) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where name.hasPrefix(prefix) {
            try? FileManager.default.removeItem(at: folder.appending(path: name))
        }
    }

    private static func sync(_ url: URL) throws(PackError) {
        let number = unsafe open(url.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        defer { if number >= 0 { close(number) } }
        guard number >= 0, fsync(number) == 0 else {
            throw PackError(
                .unavailable, "\(url.path) cannot be stored: \(SystemWords.word(Int(errno)))")
        }
    }

    private static func attempt<T>(_ url: URL, _ body: () throws -> T) throws(PackError) -> T {
        do { return try body() } catch {
            throw PackError(
                .unavailable, "\(url.path) cannot be made or read: \(SystemWords.reason(error))")
        }
    }
}
