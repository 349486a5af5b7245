#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Owns a file descriptor. Not `Sendable`: use it from one function at a time.
final class Descriptor {
    private(set) var number: Int32

    private init(_ number: Int32) { self.number = number }
    deinit { close() }

    /// Opens `path` with close-on-exec. A new file gets mode 0600.
    /// - Returns: `nil` if nothing exists at `path`.
    static func open(_ path: String, _ flags: Int32, for operation: FileSystemError.Operation)
        throws(FileSystemError) -> Descriptor?
    {
        while true {
            let number = systemOpen(path, flags | O_CLOEXEC)
            if number >= 0 { return Descriptor(number) }
            switch errno {
            case EINTR: continue
            case ENOENT: return nil
            default: throw failure(operation, path)
            }
        }
    }

    func close() {
        if number >= 0 { _ = systemClose(number) }
        number = -1
    }

    func status() -> stat? {
        var status = stat()
        return unsafe fstat(number, &status) == 0 ? status : nil
    }

    /// - Returns: `nil` on failure; `errno` has the reason.
    func read(atMost limit: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: limit), count = 0
        while count < limit {
            let got = unsafe bytes.withUnsafeMutableBytes {
                unsafe systemRead(number, $0.baseAddress! + count, limit - count)
            }
            if got == 0 { break }
            if got < 0 && errno == EINTR { continue }
            if got < 0 { return nil }
            count += got
        }
        return Array(bytes.prefix(count))
    }

    /// - Returns: `false` on failure; `errno` has the reason.
    func write(_ bytes: [UInt8]) -> Bool {
        var done = 0
        while done < bytes.count {
            let put = unsafe bytes.withUnsafeBytes {
                unsafe systemWrite(number, $0.baseAddress! + done, bytes.count - done)
            }
            if put < 0 && errno == EINTR { continue }
            if put < 0 { return false }
            done += put
        }
        return true
    }

    /// Syncs the file. A failed sync is not retried: the system may have dropped the bytes and
    /// would then report success for a second one.
    func sync() -> Bool { fsync(number) == 0 }
}

/// Returns the error that `errno` describes.
func failure(_ operation: FileSystemError.Operation, _ path: String) -> FileSystemError {
    let number = errno
    let kind: FileSystemError.Kind =
        switch number {
        case EEXIST: .alreadyExists
        case ENOENT: .notFound
        case EACCES, EPERM, EROFS: .notPermitted
        case ENOSPC, EDQUOT: .noSpace
        case EWOULDBLOCK: .busy
        default: .failed
        }
    return FileSystemError(operation, path, kind, errno: number)
}

// Inside the type, these names refer to its own methods.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { unsafe open(path, flags, 0o600) }
private func systemClose(_ number: Int32) -> Int32 { close(number) }
private func systemRead(_ number: Int32, _ to: UnsafeMutableRawPointer, _ count: Int) -> Int {
    unsafe read(number, to, count)
}
private func systemWrite(_ number: Int32, _ from: UnsafeRawPointer, _ count: Int) -> Int {
    unsafe write(number, from, count)
}
