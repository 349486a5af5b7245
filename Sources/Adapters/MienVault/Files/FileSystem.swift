/// What the vault needs from files, and no more. Each verb blocks until it is done.
///
/// Durability, as POSIX promises it: bytes survive a crash once ``WritableFile/sync()`` has
/// returned, names once ``syncFolder(_:)`` of their folder has. Whatever was not synced may survive
/// or not, in whole or in part.
public protocol FileSystem: Sendable {
    /// The id of the user this process acts as.
    var currentUser: UInt32 { get }

    /// The file at `path`, or `nil` when there is none. A symbolic link is not followed, and only a
    /// regular file is read.
    ///
    /// At most `limit` bytes are read; ``FileContents/size`` tells whether there are more.
    func read(_ path: String, atMost limit: Int) throws(FileSystemError) -> FileContents?

    /// The names in `folder`, in no order, without `.` and `..`; `nil` when there is no such
    /// folder.
    func list(_ folder: String) throws(FileSystemError) -> [String]?

    /// The permission bits of the folder at `path`, `0o7777` at most, a link followed; `nil` when
    /// there is no such folder.
    func mode(ofFolder path: String) throws(FileSystemError) -> UInt32?

    /// Makes a folder with mode 0700.
    /// - Returns: `false` when there was one already.
    func makeFolder(_ path: String) throws(FileSystemError) -> Bool

    /// Makes an empty file with mode 0600. Fails with ``FileSystemError/Kind/alreadyExists`` when
    /// `path` names anything, even a link.
    func createFile(_ path: String) throws(FileSystemError) -> any WritableFile

    /// Moves a file within its folder in one step, over what is there.
    func rename(_ path: String, to target: String) throws(FileSystemError)

    /// Gives a file a second name. Fails with ``FileSystemError/Kind/alreadyExists`` when `target`
    /// names anything.
    func link(_ path: String, to target: String) throws(FileSystemError)

    func remove(_ path: String) throws(FileSystemError)

    /// Makes the names in `folder` durable.
    func syncFolder(_ folder: String) throws(FileSystemError)

    /// Waits, up to some seconds, for the lock that the file at `path` stands for; the file is made
    /// when missing and never removed.
    ///
    /// - Throws: ``FileSystemError/Kind/busy`` when another holder keeps it too long.
    func lock(_ path: String, _ mode: LockMode) throws(FileSystemError) -> any FileLock
}

/// A new file that is being written. Not `Sendable`: one function makes, fills, syncs and closes
/// it.
public protocol WritableFile: AnyObject {
    func write(_ bytes: [UInt8]) throws(FileSystemError)
    /// Makes the bytes durable (not yet the name).
    func sync() throws(FileSystemError)
    func close()
}

/// A held lock. Also released when the process ends, however it ends.
public protocol FileLock: AnyObject {
    func release()
}

public enum LockMode: Sendable {
    /// Any number of holders, while nobody holds it exclusively.
    case shared
    /// One holder, alone.
    case exclusive
}

/// A file as it was when it was read.
public struct FileContents: Sendable, Equatable {
    public let isRegular: Bool
    /// The permission bits, `0o7777` at most.
    public let mode: UInt32
    /// The id of the user who owns it.
    public let owner: UInt32
    /// In bytes.
    public let size: Int
    /// The first bytes; none when the file is not regular.
    public let bytes: [UInt8]

    public init(isRegular: Bool, mode: UInt32, owner: UInt32, size: Int, bytes: [UInt8]) {
        (self.isRegular, self.mode, self.owner, self.size, self.bytes) = (
            isRegular, mode, owner, size, bytes
        )
    }
}
