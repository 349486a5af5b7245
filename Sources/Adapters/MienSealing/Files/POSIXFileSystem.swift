#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The machine's file system.
public struct POSIXFileSystem: FileSystem {
    /// The maximum wait of ``lock(_:_:)``: 500 tries, 10 ms apart.
    static let lockTries = 500, lockPauseMicroseconds: UInt32 = 10_000

    public init() {}

    public var currentUser: UInt32 { geteuid() }

    public func read(_ path: String, atMost limit: Int) throws(FileSystemError) -> FileContents? {
        let opened: Descriptor?
        // O_NONBLOCK: opening a pipe must not wait for its writer.
        do {
            opened = try Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, for: .read)
        } catch  where error.errno == ELOOP {
            // a symbolic link
            return FileContents(
                isRegular: false, mode: 0o777, owner: currentUser, size: 0, bytes: [])
        }
        guard let file = opened else { return nil }
        defer { file.close() }
        guard let status = file.status() else { throw failure(.read, path) }
        let isRegular = status.st_mode & S_IFMT == S_IFREG
        guard let bytes = isRegular ? file.read(atMost: limit) : [] else {
            throw failure(.read, path)
        }
        return FileContents(
            isRegular: isRegular, mode: UInt32(status.st_mode) & 0o7777, owner: status.st_uid,
            size: Int(status.st_size), bytes: bytes)
    }

    public func list(_ folder: String) throws(FileSystemError) -> [String]? {
        guard let directory = unsafe opendir(folder) else {
            if errno == ENOENT { return nil }
            throw failure(.list, folder)
        }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(directory) else { break }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw failure(.list, folder) }
        return names
    }

    public func mode(ofFolder path: String) throws(FileSystemError) -> UInt32? {
        guard let folder = try Descriptor.open(path, O_RDONLY | O_DIRECTORY, for: .list) else {
            return nil
        }
        defer { folder.close() }
        guard let status = folder.status() else { throw failure(.list, path) }
        return UInt32(status.st_mode) & 0o7777
    }

    public func makeFolder(_ path: String) throws(FileSystemError) -> Bool {
        if unsafe mkdir(path, 0o700) == 0 { return true }
        if errno == EEXIST { return false }
        throw failure(.makeFolder, path)
    }

    public func createFile(_ path: String) throws(FileSystemError) -> any WritableFile {
        guard
            let file = try Descriptor.open(
                path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, for: .create)
        else {
            throw failure(.create, path)
        }
        return POSIXWritableFile(path: path, file: file)
    }

    public func rename(_ path: String, to target: String) throws(FileSystemError) {
        guard systemRename(path, target) == 0 else { throw failure(.rename, path) }
    }

    public func link(_ path: String, to target: String) throws(FileSystemError) {
        guard systemLink(path, target) == 0 else { throw failure(.link, target) }
    }

    public func remove(_ path: String) throws(FileSystemError) {
        guard unsafe unlink(path) == 0 else { throw failure(.remove, path) }
    }

    public func syncFolder(_ folder: String) throws(FileSystemError) {
        guard let directory = try Descriptor.open(folder, O_RDONLY | O_DIRECTORY, for: .sync) else {
            throw failure(.sync, folder)
        }
        defer { directory.close() }
        guard directory.sync() else { throw failure(.sync, folder) }
    }

    public func lock(_ path: String, _ mode: LockMode) throws(FileSystemError) -> any FileLock {
        guard let file = try Descriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, for: .lock) else {
            throw failure(.lock, path)
        }
        for _ in 0..<Self.lockTries {
            if flock(file.number, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 {
                return POSIXFileLock(file: file)
            }
            guard errno == EWOULDBLOCK || errno == EINTR else { break }
            usleep(Self.lockPauseMicroseconds)
        }
        let error = failure(.lock, path)
        file.close()
        throw error
    }
}

private final class POSIXWritableFile: WritableFile {
    private let path: String
    private let file: Descriptor

    init(path: String, file: Descriptor) { (self.path, self.file) = (path, file) }

    func write(_ bytes: [UInt8]) throws(FileSystemError) {
        guard file.write(bytes) else { throw failure(.write, path) }
    }

    func sync() throws(FileSystemError) {
        guard file.sync() else { throw failure(.sync, path) }
    }

    func close() { file.close() }
}

private final class POSIXFileLock: FileLock {
    private let file: Descriptor

    init(file: Descriptor) { self.file = file }
    deinit { file.close() }

    func release() { file.close() }
}

// Inside the type, these two names refer to its own methods.
private func systemRename(_ path: String, _ target: String) -> Int32 { unsafe rename(path, target) }
private func systemLink(_ path: String, _ target: String) -> Int32 { unsafe link(path, target) }
