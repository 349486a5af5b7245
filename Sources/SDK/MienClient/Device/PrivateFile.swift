internal import Foundation
internal import MienCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#else
internal import Darwin
#endif

/// JSON in a file that only its owner may read (0600). Each change replaces the whole file, so it
/// is never half written.
struct PrivateFile<Content: Codable> {
    private static var maxBytes: Int { 1 << 20 }

    let path: String

    /// - Returns: `nil` if the file does not exist or is empty.
    /// - Throws: ``PrivateFileError``.
    func read() throws -> Content? {
        let number = descriptor(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if number < 0, errno == ENOENT { return nil }
        guard number >= 0 else { throw PrivateFileError(reason: "\(path) cannot be opened.") }
        let file = FileHandle(fileDescriptor: number, closeOnDealloc: true)
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_mode & 0o077 == 0
        else {
            throw PrivateFileError(
                reason: "\(path) is not a file that only its owner may read. Run chmod 600.")
        }
        guard let data = try file.read(upToCount: Self.maxBytes + 1), !data.isEmpty else {
            return nil
        }
        guard data.count <= Self.maxBytes,
            let content = try? JSONDecoder().decode(Content.self, from: data)
        else {
            throw PrivateFileError(reason: "\(path) is malformed. Remove it.")
        }
        return content
    }

    func write(_ content: Content) throws {
        var generator = SystemRandomNumberGenerator()
        let next = "\(path).\(Base64URL.encode(generator.bytes(6)))"
        let number = descriptor(next, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW)
        guard number >= 0 else { throw PrivateFileError(reason: "\(path) cannot be written.") }
        let file = FileHandle(fileDescriptor: number, closeOnDealloc: true)
        do {
            try file.write(contentsOf: Data(Connection.encode(content)))
            try file.synchronize()
            try file.close()
            guard unsafe rename(next, path) == 0 else {
                throw PrivateFileError(reason: "\(path) cannot be replaced.")
            }
        } catch {
            _ = unsafe unlink(next)
            throw error
        }
    }
}

/// An error that tokens cannot be read or stored.
public struct PrivateFileError: Error, Sendable, CustomStringConvertible {
    public let reason: String
    public var description: String { reason }
}

private func descriptor(_ path: String, _ flags: Int32) -> Int32 { unsafe open(path, flags, 0o600) }
