internal import Foundation
public import MienCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#else
internal import Darwin
#endif

/// In a file that its owner alone may read (0600). It is replaced whole, so it is never half written.
///
/// For command lines and servers; on phones the keychain is the place, through a ``DeviceTokenStorage`` of the app's own.
public actor FileDeviceTokens: DeviceTokenStorage {
    private struct Entry: Codable {
        let server: String
        let application: String
        var token: String
    }

    private static let mostBytes = 1 << 20

    private let path: String

    /// - Parameter path: of the file; made when there is a token to keep. Its folder exists.
    public init(path: String) { self.path = path }

    public func token(for key: DeviceTokenKey) throws -> Sensitive<String>? {
        try read().first { $0.server == key.server && $0.application == key.application }.map { Sensitive($0.token) }
    }

    public func store(_ token: Sensitive<String>, for key: DeviceTokenKey) throws {
        var entries = try read().filter { $0.server != key.server || $0.application != key.application }
        entries.append(Entry(server: key.server, application: key.application, token: token.use { $0 }))
        try write(entries)
    }

    public func remove(_ key: DeviceTokenKey) throws {
        let entries = try read(), left = entries.filter { $0.server != key.server || $0.application != key.application }
        if left.count != entries.count { try write(left) }
    }

    private func read() throws -> [Entry] {
        let number = descriptor(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if number < 0, errno == ENOENT { return [] }
        guard number >= 0 else { throw FileDeviceTokensError(reason: "\(path) cannot be opened") }
        let file = FileHandle(fileDescriptor: number, closeOnDealloc: true)
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0 else {
            throw FileDeviceTokensError(reason: "\(path) is not a file that its owner alone may read (chmod 600)")
        }
        guard let data = try file.read(upToCount: Self.mostBytes + 1), !data.isEmpty else { return [] }
        guard data.count <= Self.mostBytes, let entries = try? JSONDecoder().decode([Entry].self, from: data) else {
            throw FileDeviceTokensError(reason: "\(path) does not hold device tokens; remove it")
        }
        return entries
    }

    private func write(_ entries: [Entry]) throws {
        var generator = SystemRandomNumberGenerator()
        let next = "\(path).\(Base64URL.encode(generator.bytes(6)))"
        let number = descriptor(next, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW)
        guard number >= 0 else { throw FileDeviceTokensError(reason: "\(path) cannot be written") }
        let file = FileHandle(fileDescriptor: number, closeOnDealloc: true)
        do {
            try file.write(contentsOf: Data(Connection.encode(entries)))
            try file.synchronize()
            try file.close()
            guard unsafe rename(next, path) == 0 else { throw FileDeviceTokensError(reason: "\(path) cannot be replaced") }
        } catch {
            _ = unsafe unlink(next)
            throw error
        }
    }
}

/// Why device tokens cannot be read or kept.
public struct FileDeviceTokensError: Error, Sendable, CustomStringConvertible {
    public let reason: String
    public var description: String { reason }
}

private func descriptor(_ path: String, _ flags: Int32) -> Int32 { unsafe open(path, flags, 0o600) }
