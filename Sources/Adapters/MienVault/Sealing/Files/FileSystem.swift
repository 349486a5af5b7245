/// The file operations that durable storage needs. Each operation blocks until it is done.
///
/// Durability follows POSIX: bytes survive a crash once ``WritableFile/sync()`` has returned, names
/// once ``syncFolder(_:)`` of their folder has. Anything else may survive in whole, in part, or not
/// at all.
public protocol FileSystem: Sendable {
    /// The ID of the user this process runs as.
    var currentUser: UInt32 { get }

    /// Reads the file at `path`; returns `nil` if there is none. Does not follow a symbolic link,
    /// and reads regular files only.
    ///
    /// Reads at most `limit` bytes; ``FileContents/size`` shows whether there are more.
    func read(_ path: String, atMost limit: Int) throws(FileSystemError) -> FileContents?

    /// Returns the names in `folder`, unordered, without `.` and `..`; `nil` if the folder does not
    /// exist.
    func list(_ folder: String) throws(FileSystemError) -> [String]?

    /// Returns the permission bits of the folder at `path`, at most `0o7777`, following a link;
    /// `nil` if the folder does not exist.
    func mode(ofFolder path: String) throws(FileSystemError) -> UInt32?

    /// Creates a folder with mode 0700.
    /// - Returns: `false` if it already existed.
    func makeFolder(_ path: String) throws(FileSystemError) -> Bool

    /// Creates an empty file with mode 0600. Fails with ``FileSystemError/Kind/alreadyExists`` if
    /// `path` names anything, even a link.
    func createFile(_ path: String) throws(FileSystemError) -> any WritableFile

    /// Renames a file within its folder atomically, replacing an existing file.
    func rename(_ path: String, to target: String) throws(FileSystemError)

    /// Gives a file a second name. Fails with ``FileSystemError/Kind/alreadyExists`` if `target`
    /// names anything.
    func link(_ path: String, to target: String) throws(FileSystemError)

    func remove(_ path: String) throws(FileSystemError)

    /// Makes the names in `folder` durable.
    func syncFolder(_ folder: String) throws(FileSystemError)

    /// Waits up to a few seconds for the lock file at `path`. Creates the file if it is missing and
    /// never removes it.
    ///
    /// - Throws: ``FileSystemError/Kind/busy`` if another holder keeps the lock for too long.
    func lock(_ path: String, _ mode: LockMode) throws(FileSystemError) -> any FileLock
}

/// A new file that is being written. Not `Sendable`: one function creates, fills, syncs, and closes
/// it.
public protocol WritableFile: AnyObject {
    func write(_ bytes: [UInt8]) throws(FileSystemError)
    /// Makes the bytes durable, but not the name.
    func sync() throws(FileSystemError)
    func close()
}

/// A held lock. The system also releases it when the process ends for any reason.
public protocol FileLock: AnyObject {
    func release()
}

public enum LockMode: Sendable {
    /// Any number of holders, while there is no exclusive holder.
    case shared
    /// A single holder.
    case exclusive
}

/// A snapshot of a file at the time it was read.
public struct FileContents: Sendable, Equatable {
    public let isRegular: Bool
    /// The permission bits, at most `0o7777`.
    public let mode: UInt32
    /// The ID of the file's owner.
    public let owner: UInt32
    /// The size in bytes.
    public let size: Int
    /// The first bytes; empty if the file is not regular.
    public let bytes: [UInt8]

    public init(isRegular: Bool, mode: UInt32, owner: UInt32, size: Int, bytes: [UInt8]) {
        (self.isRegular, self.mode, self.owner, self.size, self.bytes) = (
            isRegular, mode, owner, size, bytes
        )
    }
}
