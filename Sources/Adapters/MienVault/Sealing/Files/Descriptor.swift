internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Owns a file descriptor. Not `Sendable`: use it from one function at a time.
///
/// Errors are ``FileSystemError`` with the path and the operation given to ``open(_:_:_:for:)``.
final class Descriptor {
    /// A new file is readable and writable by its owner only.
    private static let newFileMode: FilePermissions = [.ownerRead, .ownerWrite]

    private let path: String
    private var file: FileDescriptor?

    private init(_ file: FileDescriptor, _ path: String) { (self.file, self.path) = (file, path) }
    deinit { close() }

    /// Opens `path` with close-on-exec. A new file gets mode 0600.
    /// - Returns: `nil` if nothing exists at `path`.
    static func open(
        _ path: String, _ mode: FileDescriptor.AccessMode,
        _ options: FileDescriptor.OpenOptions, for operation: FileSystemError.Operation
    ) throws(FileSystemError) -> Descriptor? {
        let permissions = options.contains(.create) ? newFileMode : nil
        do {
            return Descriptor(
                try FileDescriptor.open(
                    FilePath(path), mode, options: options.union(.closeOnExec),
                    permissions: permissions),
                path)
        } catch {
            if error as? Errno == .noSuchFileOrDirectory { return nil }
            throw FileSystemError(operation, path, error)
        }
    }

    func close() {
        try? file?.close()
        file = nil
    }

    func status(for operation: FileSystemError.Operation) throws(FileSystemError) -> Stat {
        try perform(operation) { try $0.stat() }
    }

    /// Reads from the start of the file.
    func read(atMost limit: Int) throws(FileSystemError) -> [UInt8] {
        try perform(.read) { file in
            var bytes = [UInt8](repeating: 0, count: limit), count = 0
            while count < limit {
                let got = try unsafe bytes.withUnsafeMutableBytes { buffer in
                    try unsafe file.read(
                        fromAbsoluteOffset: Int64(count),
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
                }
                if got == 0 { break }
                count += got
            }
            return Array(bytes.prefix(count))
        }
    }

    func write(_ bytes: [UInt8]) throws(FileSystemError) {
        try perform(.write) { _ = try $0.writeAll(bytes) }
    }

    /// Replaces the file's content with `bytes`, in place.
    func rewrite(_ bytes: [UInt8]) throws(FileSystemError) {
        try perform(.write) { file in
            try file.resize(to: 0)
            _ = try file.writeAll(toAbsoluteOffset: 0, bytes)
        }
    }

    /// Syncs the file. A failed sync is not retried: the system may have dropped the bytes and
    /// would then report success for a second one.
    func sync() throws(FileSystemError) {
        try perform(.sync) { guard fsync($0.rawValue) == 0 else { throw Errno(rawValue: errno) } }
    }

    /// Takes a lock that ends with the descriptor, without waiting.
    ///
    /// Source: flock(2).
    /// - Returns: `false` if another descriptor holds a conflicting lock.
    func lock(_ mode: LockMode) throws(FileSystemError) -> Bool {
        try perform(.lock) { file in
            let operation = (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
            while flock(file.rawValue, operation) != 0 {
                switch Errno(rawValue: errno) {
                case .interrupted: continue
                case .wouldBlock: return false
                case let error: throw error
                }
            }
            return true
        }
    }

    private func perform<Output>(
        _ operation: FileSystemError.Operation, _ body: (FileDescriptor) throws -> Output
    ) throws(FileSystemError) -> Output {
        do {
            guard let file else { throw Errno.badFileDescriptor }
            return try body(file)
        } catch { throw FileSystemError(operation, path, error) }
    }
}

extension FileSystemError {
    /// Translates an `Errno`.
    init(_ operation: Operation, _ path: String, _ error: any Error) {
        let error = error as? Errno ?? .ioError
        let kind: Kind =
            switch error {
            case .fileExists: .alreadyExists
            case .noSuchFileOrDirectory: .notFound
            case .permissionDenied, .notPermitted: .notPermitted
            case .readOnlyFileSystem: .readOnly
            case .noSpace, .diskQuotaExceeded: .noSpace
            case .wouldBlock: .busy
            default: .failed
            }
        self.init(operation, path, kind, errno: error.rawValue)
    }
}
