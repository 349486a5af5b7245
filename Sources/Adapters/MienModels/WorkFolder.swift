public import Foundation

/// A folder of this process's own in the machine's temporary place, gone with the last reference.
///
/// A process that is killed cannot tidy up. So every folder is locked while it is in use, and
/// whoever makes the next one removes those that nobody holds any more.
public final class WorkFolder: Sendable {
    public let url: URL
    private let lock: Int32
    /// A folder younger than this may be one that is not locked yet.
    private static let graceSeconds = 60

    /// - Parameter kind: 1…32 of `a-z -`: the folder's name is `mien-<kind>-<random>`.
    /// - Throws: ``PackError`` `.unavailable` when no folder can be made.
    public init(_ kind: String) throws(PackError) {
        let place = FileManager.default.temporaryDirectory, prefix = "mien-\(kind)-"
        Self.sweep(place, prefix)
        url = place.appending(path: prefix + UUID().uuidString, directoryHint: .isDirectory)
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw PackError(
                .unavailable,
                "no temporary folder can be made in \(place.path): \(SystemWords.reason(error))")
        }
        lock = Self.open(url)
        if lock >= 0 { flock(lock, LOCK_EX | LOCK_NB) }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
        if lock >= 0 { close(lock) }
    }

    private static func open(_ folder: URL) -> Int32 {
        unsafe Foundation.open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }

    private static func sweep(_ place: URL, _ prefix: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
        where name.hasPrefix(prefix) {
            let folder = place.appending(path: name, directoryHint: .isDirectory),
                number = open(folder)
            guard number >= 0 else { continue }
            defer { close(number) }
            var status = stat()
            guard unsafe fstat(number, &status) == 0, status.st_uid == geteuid(),
                time(nil) - status.st_mtim.tv_sec > graceSeconds,
                flock(number, LOCK_EX | LOCK_NB) == 0
            else { continue }
            try? FileManager.default.removeItem(at: folder)
        }
    }
}
