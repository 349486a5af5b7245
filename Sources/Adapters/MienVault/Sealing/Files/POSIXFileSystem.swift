internal import SystemPackage

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
        // With nonBlocking, opening a pipe does not wait for its writer.
        do {
            opened = try Descriptor.open(path, .readOnly, [.noFollow, .nonBlocking], for: .read)
        } catch  where error.errno == ELOOP {
            // a symbolic link
            return FileContents(
                isRegular: false, mode: 0o777, owner: currentUser, size: 0, bytes: [])
        }
        guard let file = opened else { return nil }
        defer { file.close() }
        let status = try file.status(for: .read)
        let isRegular = status.type == .regular
        return FileContents(
            isRegular: isRegular, mode: status.permissionBits, owner: status.userID.rawValue,
            size: Int(status.size), bytes: isRegular ? try file.read(atMost: limit) : [])
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
        guard let folder = try Descriptor.open(path, .readOnly, .directory, for: .list) else {
            return nil
        }
        defer { folder.close() }
        return try folder.status(for: .list).permissionBits
    }

    public func makeFolder(_ path: String) throws(FileSystemError) -> Bool {
        if unsafe mkdir(path, 0o700) == 0 { return true }
        if errno == EEXIST { return false }
        throw failure(.makeFolder, path)
    }

    public func createFile(_ path: String) throws(FileSystemError) -> any WritableFile {
        guard
            let file = try Descriptor.open(
                path, .writeOnly, [.create, .exclusiveCreate, .noFollow], for: .create)
        else {
            // A folder of the path is missing.
            throw FileSystemError(.create, path, Errno.noSuchFileOrDirectory)
        }
        return POSIXWritableFile(file)
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
        guard let directory = try Descriptor.open(folder, .readOnly, .directory, for: .sync) else {
            throw FileSystemError(.sync, folder, Errno.noSuchFileOrDirectory)
        }
        defer { directory.close() }
        try directory.sync()
    }

    public func lock(_ path: String, _ mode: LockMode) throws(FileSystemError) -> any FileLock {
        guard let file = try Descriptor.open(path, .readWrite, [.create, .noFollow], for: .lock)
        else { throw FileSystemError(.lock, path, Errno.noSuchFileOrDirectory) }
        for _ in 0..<Self.lockTries {
            if try file.lock(mode) { return POSIXFileLock(file) }
            usleep(Self.lockPauseMicroseconds)
        }
        file.close()
        throw FileSystemError(.lock, path, Errno.wouldBlock)
    }
}

private final class POSIXWritableFile: WritableFile {
    private let file: Descriptor

    init(_ file: Descriptor) { self.file = file }

    func write(_ bytes: [UInt8]) throws(FileSystemError) { try file.write(bytes) }
    func sync() throws(FileSystemError) { try file.sync() }
    func close() { file.close() }
}

private final class POSIXFileLock: FileLock {
    private let file: Descriptor

    init(_ file: Descriptor) { self.file = file }
    deinit { file.close() }

    func release() { file.close() }
}

extension Stat {
    /// The permission bits, at most `0o7777`.
    fileprivate var permissionBits: UInt32 { UInt32(permissions.rawValue) & 0o7777 }
}

/// Returns the error that `errno` describes.
private func failure(_ operation: FileSystemError.Operation, _ path: String) -> FileSystemError {
    FileSystemError(operation, path, Errno(rawValue: errno))
}

// swift-system has no rename and no link. Inside the type, these two names refer to its own
// methods.
private func systemRename(_ path: String, _ target: String) -> Int32 { unsafe rename(path, target) }
private func systemLink(_ path: String, _ target: String) -> Int32 { unsafe link(path, target) }
